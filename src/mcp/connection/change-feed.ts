import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { sleep } from "../../base/sleep.ts";
import type { McpSession } from "../session/mcp-session.ts";
import { McpError } from "../wire/mcp-error.ts";
import { reconnectDelayMs } from "../wire/reconnect-delay.ts";

/** What {@link ChangeFeed} is made of. */
export interface ChangeFeedOptions {
  readonly session: McpSession;
  readonly clock: Clock;
  /** The feed was interrupted and goes on: changes may have been missed meanwhile. */
  onGap(): void;
}

/** What is followed. */
export interface Followed {
  readonly tools: boolean;
  readonly prompts: boolean;
  readonly resources: boolean;
  readonly uris: readonly string[];
}

/** A subscription that is taken up in no such time is not waited for any longer; it goes on being tried. */
const patienceMs = 5000;

/**
 * The changes that a server tells of where there was no handshake: a request that stays open (MCP
 * 2026-07-28, basic/patterns/subscriptions). It is sent again, with growing delays, where it ends.
 */
export class ChangeFeed {
  readonly #options: ChangeFeedOptions;
  #ending: AbortController | undefined;
  #followed = "";

  constructor(options: ChangeFeedOptions) {
    this.#options = options;
  }

  /**
   * Follows these changes instead of what was followed before, without a gap. Resolves once the
   * server has taken it up, refuses it, or takes too long.
   */
  async follow(followed: Followed): Promise<void> {
    const filter = toFilter(followed);
    const text = JSON.stringify(filter);
    if (text === this.#followed) {
      return;
    }
    this.#followed = text;
    const before = this.#ending;
    if (Object.keys(filter).length === 0) {
      this.#ending = undefined;
      before?.abort();
      return;
    }
    const ending = new AbortController();
    this.#ending = ending;
    const taken = Promise.withResolvers<void>();
    const cancelTimer = this.#options.clock.startTimer(() => taken.resolve(), patienceMs);
    void this.#listen(filter, ending.signal, () => taken.resolve()).then(() => taken.resolve());
    await taken.promise.finally(cancelTimer);
    before?.abort();
  }

  stop(): void {
    this.#followed = "";
    this.#ending?.abort();
  }

  /** Never rejects. */
  async #listen(filter: JsonObject, signal: AbortSignal, onTaken: () => void): Promise<void> {
    const { clock, session, onGap } = this.#options;
    let failures = 0;
    let wasTaken = false;
    const onAcknowledged = (): void => {
      failures = 0;
      onTaken();
      if (wasTaken) {
        onGap();
      }
      wasTaken = true;
    };
    while (!signal.aborted && !session.isOver) {
      try {
        const params = { notifications: filter };
        await session.request("subscriptions/listen", params, { signal, onAcknowledged });
      } catch (error) {
        if (isRefusal(error)) {
          return;
        }
      }
      failures += 1;
      await sleep(clock, reconnectDelayMs(failures), signal).catch(() => {});
    }
  }
}

function toFilter({ tools, prompts, resources, uris }: Followed): JsonObject {
  return {
    ...(tools ? { toolsListChanged: true } : {}),
    ...(prompts ? { promptsListChanged: true } : {}),
    ...(resources ? { resourcesListChanged: true } : {}),
    ...(uris.length === 0 ? {} : { resourceSubscriptions: uris }),
  };
}

/** Whether asking again would be of no use. */
const isRefusal = (error: unknown): boolean =>
  McpError.is(error) &&
  (error.code === "mcp-remote-error" ||
    (error.code === "mcp-http" &&
      error.status !== undefined &&
      error.status < 500 &&
      error.status !== 429));

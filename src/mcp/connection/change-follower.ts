import type { Clock } from "../../base/clock.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { McpSession } from "../session/mcp-session.ts";
import { ChangeFeed, type Followed } from "./change-feed.ts";
import type { McpEvents } from "./server-events.ts";

/** What {@link ChangeFollower} is made of. */
export interface ChangeFollowerOptions {
  readonly clock: Clock;
  readonly events: McpEvents;
  /** How long the server may take to answer, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Follows what changes on a server through all its sessions. After a handshake a server tells of its
 * lists anyway, and of resources once it is asked; without one, only of what it is asked for.
 */
export class ChangeFollower {
  readonly #options: ChangeFollowerOptions;
  #followed: Followed = { tools: false, prompts: false, resources: false, uris: [] };
  #session: McpSession | undefined;
  #feed: ChangeFeed | undefined;

  constructor(options: ChangeFollowerOptions) {
    this.#options = options;
  }

  /** What is followed. */
  get followed(): Followed {
    return this.#followed;
  }

  /** Follows on this session from now on what was followed on the one before. */
  use(session: McpSession): void {
    this.stop();
    this.#session = session;
    if (session.isStateless) {
      const { clock } = this.#options;
      this.#feed = new ChangeFeed({ session, clock, onGap: () => this.#tellOfAll() });
      void this.#feed.follow(offered(this.#followed, session));
    } else {
      this.#ask("resources/subscribe", this.#followed.uris).catch(() => {}); // nobody waits for it
    }
  }

  /** Follows other changes. @throws McpError where the server refuses to tell of a resource. */
  async follow(followed: Followed): Promise<void> {
    const { uris: before } = this.#followed;
    const { uris } = followed;
    this.#followed = followed;
    if (this.#session === undefined) {
      return;
    }
    if (this.#feed !== undefined) {
      await this.#feed.follow(offered(followed, this.#session));
      return;
    }
    await this.#ask("resources/unsubscribe", without(before, uris));
    await this.#ask("resources/subscribe", without(uris, before));
  }

  stop(): void {
    this.#feed?.stop();
    this.#feed = undefined;
    this.#session = undefined;
  }

  async #ask(method: string, uris: readonly string[]): Promise<void> {
    const { timeoutMs } = this.#options;
    const session = this.#session;
    await Promise.all(uris.map((uri) => session?.request(method, { uri }, { timeoutMs })));
  }

  /** Nobody knows what changed while nothing was told. */
  #tellOfAll(): void {
    const { events } = this.#options;
    const { tools, prompts, resources, uris } = this.#followed;
    if (tools) {
      events.onToolsChanged?.();
    }
    if (prompts) {
      events.onPromptsChanged?.();
    }
    if (resources) {
      events.onResourcesChanged?.();
    }
    for (const uri of uris) {
      events.onResourceUpdated?.(uri);
    }
  }
}

const without = (all: readonly string[], some: readonly string[]): readonly string[] =>
  all.filter((one) => !some.includes(one));

/** As much of what is wanted as the server offers to tell of. */
function offered(
  { tools, prompts, resources, uris }: Followed,
  { greeting }: McpSession,
): Followed {
  const tellsOf = (key: string): boolean => {
    const capability: JsonObject[string] = greeting.capabilities[key];
    return isJsonObject(capability) && capability["listChanged"] === true;
  };
  return {
    tools: tools && tellsOf("tools"),
    prompts: prompts && tellsOf("prompts"),
    resources: resources && tellsOf("resources"),
    uris,
  };
}

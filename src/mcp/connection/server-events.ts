import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/dragoman-error.ts";
import type { JsonObject } from "../../base/json.ts";
import { type McpLog, toMcpLog } from "../session/server-log.ts";

/**
 * What a server tells of its own accord. What changes is told at most five times a second, and that
 * it changed, not how: list it again. Over revision 2026-07-28 a server tells only of what there is a
 * listener for.
 */
export interface McpEvents {
  onLog?(log: McpLog): void;
  onToolsChanged?(): void;
  onPromptsChanged?(): void;
  onResourcesChanged?(): void;
  /** A resource that was subscribed to has changed. */
  onResourceUpdated?(uri: string): void;
}

/** What {@link ServerEvents} is made of. */
export interface ServerEventsOptions {
  readonly clock: Clock;
  readonly events: McpEvents;
  /** Hears every notification, as it was sent. */
  readonly onNotification: ((method: string, params: JsonObject) => void) | undefined;
  /** Told where a listener throws: the connection must not suffer from it. */
  readonly onNotice: ((code: string, message: string) => void) | undefined;
  /** A text of the server's without the credentials that were given to it. */
  hide(text: string): string;
}

/** Changes that come in such a time are told of once. */
const restMs = 200;

/** As many resources may wait to be told of. */
const mostWaiting = 1000;

/** Makes events of a server's notifications. */
export class ServerEvents {
  readonly #options: ServerEventsOptions;
  readonly #waiting = new Map<string, () => void>();
  #cancelTimer: (() => void) | undefined;

  constructor(options: ServerEventsOptions) {
    this.#options = options;
  }

  receive(method: string, params: JsonObject): void {
    const { events, onNotification } = this.#options;
    if (onNotification !== undefined) {
      this.#call(() => onNotification(method, params));
    }
    switch (method) {
      case "notifications/message":
        this.#call(() => events.onLog?.(toMcpLog(params, (text) => this.#options.hide(text))));
        break;
      case "notifications/tools/list_changed":
        this.#later(method, events.onToolsChanged && (() => events.onToolsChanged?.()));
        break;
      case "notifications/prompts/list_changed":
        this.#later(method, events.onPromptsChanged && (() => events.onPromptsChanged?.()));
        break;
      case "notifications/resources/list_changed":
        this.#later(method, events.onResourcesChanged && (() => events.onResourcesChanged?.()));
        break;
      case "notifications/resources/updated": {
        const { uri } = params;
        const isHeard = typeof uri === "string" && events.onResourceUpdated !== undefined;
        this.#later(
          `${method} ${uri}`,
          isHeard ? () => events.onResourceUpdated?.(uri) : undefined,
        );
        break;
      }
      default: // known to whoever hears all notifications
    }
  }

  /** Tells of nothing any more. */
  stop(): void {
    this.#cancelTimer?.();
    this.#waiting.clear();
  }

  #later(key: string, tell: (() => void) | undefined): void {
    if (tell === undefined || this.#waiting.size >= mostWaiting) {
      return;
    }
    this.#waiting.set(key, tell);
    this.#cancelTimer ??= this.#options.clock.startTimer(() => {
      this.#cancelTimer = undefined;
      const due = [...this.#waiting.values()];
      this.#waiting.clear();
      due.forEach((one) => void this.#call(one));
    }, restMs);
  }

  #call(tell: () => void): void {
    try {
      tell();
    } catch (thrown) {
      const message = `A listener to what it tells threw: ${messageOf(thrown)}`;
      this.#options.onNotice?.("mcp-listener-failed", message);
    }
  }
}

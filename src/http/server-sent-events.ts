import { checkNumbers } from "../base/check-numbers.ts";
import { ToolError } from "../base/tool-error.ts";

/** One event of a `text/event-stream`, as the HTML specification has it (section 9.2). */
export interface ServerSentEvent {
  /** The `event` field, `message` where there is none. */
  readonly event: string;
  /** The `data` lines, joined by line feeds. It may be empty. */
  readonly data: string;
  /** The last id that the stream has named so far, in this event or before it. */
  readonly id?: string;
  /** The reconnection time that the stream has named since the event before, in milliseconds. */
  readonly retryMs?: number;
}

/** How {@link readServerSentEvents} reads. */
export interface ServerSentEventsOptions {
  /** The longest event, counted in characters (which are never more than its bytes). Default 10 MiB. */
  readonly maxEventBytes?: number;
}

/**
 * Reads server-sent events. Each batch holds the events that one chunk has completed, so that a fast
 * stream does not cost a promise for each event; a batch is never empty. Bytes may be cut anywhere.
 * An event that the end of the stream leaves unfinished is dropped, as the specification demands.
 *
 * Leaving the loop closes `chunks`.
 *
 * @throws ToolError `tool-response-too-large` where one event is longer than allowed.
 */
export async function* readServerSentEvents(
  chunks: AsyncIterable<Uint8Array>,
  options: ServerSentEventsOptions = {},
): AsyncGenerator<readonly ServerSentEvent[], void, undefined> {
  const place = { where: "of readServerSentEvents" };
  checkNumbers(options, { maxEventBytes: "bytes" }, place);
  const decoder = new TextDecoder();
  const parser = new EventParser(options.maxEventBytes ?? 10 * 1024 * 1024);
  for await (const chunk of chunks) {
    const events = parser.push(decoder.decode(chunk, { stream: true }));
    if (events.length > 0) {
      yield events;
    }
  }
}

/** Keeps what is unfinished between chunks. Each character is looked at once. */
class EventParser {
  readonly #longest: number;
  /** The start of a line whose end has not come. */
  #line = "";
  /** The last character was CR: an LF that follows belongs to it. */
  #afterReturn = false;
  #data: string[] = [];
  #dataLength = 0;
  #event = "";
  #id = "";
  #retryMs: number | undefined;
  #events: ServerSentEvent[] = [];

  constructor(longest: number) {
    this.#longest = longest;
  }

  push(text: string): readonly ServerSentEvent[] {
    if (text === "") {
      return [];
    }
    let lines = this.#afterReturn && text.startsWith("\n") ? text.slice(1) : text;
    this.#afterReturn = text.endsWith("\r");
    lines = lines.includes("\r") ? lines.replaceAll(/\r\n?/g, "\n") : lines;
    let start = 0;
    for (let end = lines.indexOf("\n"); end !== -1; end = lines.indexOf("\n", start)) {
      this.#endLine(lines.slice(start, end));
      start = end + 1;
    }
    this.#line += lines.slice(start);
    this.#check(this.#line.length);
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #endLine(rest: string): void {
    const line = this.#line === "" ? rest : this.#line + rest;
    this.#line = "";
    if (line === "") {
      this.#dispatch();
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) {
      return; // a comment
    }
    const name = colon === -1 ? line : line.slice(0, colon);
    const valueStart = line.charAt(colon + 1) === " " ? colon + 2 : colon + 1;
    this.#field(name, colon === -1 ? "" : line.slice(valueStart));
  }

  #field(name: string, value: string): void {
    if (name === "data") {
      this.#check(value.length);
      this.#data.push(value);
      this.#dataLength += value.length + 1;
    } else if (name === "event") {
      this.#event = value;
    } else if (name === "id" && !value.includes("\0")) {
      this.#id = value;
    } else if (name === "retry" && /^\d+$/.test(value)) {
      this.#retryMs = Number(value);
    }
  }

  #dispatch(): void {
    if (this.#data.length > 0) {
      this.#events.push({
        event: this.#event === "" ? "message" : this.#event,
        data: this.#data.length === 1 ? (this.#data[0] ?? "") : this.#data.join("\n"),
        ...(this.#id === "" ? {} : { id: this.#id }),
        ...(this.#retryMs === undefined ? {} : { retryMs: this.#retryMs }),
      });
      this.#data = [];
      this.#dataLength = 0;
      this.#retryMs = undefined;
    }
    this.#event = "";
  }

  #check(added: number): void {
    if (this.#dataLength + added > this.#longest) {
      throw new ToolError(
        `The server sent an event of more than ${this.#longest} characters. Raise maxEventBytes if that is expected.`,
        { code: "tool-response-too-large" },
      );
    }
  }
}

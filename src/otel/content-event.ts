import type { TraceOperation } from "../base/trace-operation.ts";
import type { CapturedValue, ContentCapture } from "./content-capture.ts";
import { eventNames, names } from "./conventions.ts";
import type { OpenAttributes, SpanAttributes } from "./span-attributes.ts";
import type { SpanSink } from "./span-sink.ts";

/** What was said in one model call or tool call, written at its end as one event. */
export class ContentEvent {
  readonly #name: string;
  /** Attributes of the span, which a log record repeats. */
  readonly #known: OpenAttributes = {};
  readonly #values: CapturedValue[] = [];

  constructor(name: string) {
    this.#name = name;
  }

  /** @returns `undefined` where content is not written as events. */
  static of(
    { kind }: TraceOperation,
    capture: ContentCapture | undefined,
  ): ContentEvent | undefined {
    if (capture?.as !== "events" || (kind !== "model" && kind !== "tool")) {
      return undefined;
    }
    return new ContentEvent(kind === "model" ? eventNames.modelDetails : eventNames.toolDetails);
  }

  know(attributes: SpanAttributes): void {
    Object.assign(this.#known, attributes);
  }

  add(values: readonly CapturedValue[]): void {
    this.#values.push(...values);
  }

  /** As a log record, which may hold objects; where nobody takes any, as an event with JSON text. */
  writeTo(sink: SpanSink): void {
    if (this.#values.length === 0) {
      return;
    }
    const objects = this.#values.map(({ key, text, isJson }) => [
      key,
      isJson ? (JSON.parse(text) as unknown) : text,
    ]);
    const attributes = { ...this.#known, ...Object.fromEntries(objects) };
    if (sink.log({ name: this.#name, severity: "debug", attributes })) {
      return;
    }
    const event: OpenAttributes = {};
    for (const key of [names.operation, names.provider] as const) {
      const value = this.#known[key];
      if (value !== undefined) {
        event[key] = value;
      }
    }
    for (const { key, text } of this.#values) {
      event[key] = text;
    }
    sink.addEvent(this.#name, event);
  }
}

import { expect } from "vitest";
import type { ProviderData } from "../src/message/content.ts";
import type { ModelEvent } from "../src/model/model-event.ts";

/** A part that the events have built. */
interface Part {
  readonly kind: string;
  readonly id: string;
  readonly name?: string;
  text: string;
  readonly providerData?: ProviderData;
}

/** What a stream of model events adds up to. */
export interface ModelOutcome {
  /** In the order in which they were opened. */
  readonly parts: readonly Part[];
  readonly text: string;
  readonly reasoning: string;
  /** Name and arguments of each call. */
  readonly calls: readonly (readonly [name: string, text: string])[];
  readonly finish: Extract<ModelEvent, { kind: "finish" }> | undefined;
}

/** Adds events up, and fails the test where they break the rules of the Model port. */
export function outcomeOf(events: readonly ModelEvent[]): ModelOutcome {
  const parts = new Map<string, Part>();
  const open = new Set<string>();
  let finish: ModelOutcome["finish"];
  for (const event of events) {
    expect(finish, "nothing follows finish").toBeUndefined();
    if (event.kind === "finish") {
      expect([...open], "finish closes all").toEqual([]);
      finish = event;
    } else {
      addEvent(event, parts, open);
    }
  }
  const all = [...parts.values()];
  const textOf = (kind: string): string =>
    all.flatMap((part) => (part.kind === kind ? [part.text] : [])).join("");
  return {
    parts: all,
    text: textOf("text"),
    reasoning: textOf("reasoning"),
    calls: all.flatMap(({ kind, name = "", text }) =>
      kind === "tool-call" ? [[name, text] as const] : [],
    ),
    finish,
  };
}

function addEvent(
  event: Exclude<ModelEvent, { kind: "finish" }>,
  parts: Map<string, Part>,
  open: Set<string>,
): void {
  const [, kind = "", step] = /^(.*)-(start|delta|end)$/.exec(event.kind) ?? [];
  if (step === "start") {
    expect(parts.has(event.id), `part ${event.id} is new`).toBe(false);
    open.add(event.id);
    const name = "name" in event ? { name: event.name } : {};
    parts.set(event.id, { kind, id: event.id, ...name, text: "" });
    return;
  }
  const part = parts.get(event.id);
  expect(part?.kind, `${event.kind} is of an open part of its kind`).toBe(kind);
  expect(open.has(event.id), `${event.kind} is of an open part`).toBe(true);
  if (step === "end") {
    open.delete(event.id);
    Object.assign(part ?? {}, "providerData" in event && { providerData: event.providerData });
  } else if (part !== undefined && "text" in event) {
    part.text += event.text;
  }
}

/** All events of a stream. */
export async function collect(stream: AsyncIterable<ModelEvent>): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of stream) {
    events.push(event);
  }
  return events;
}

import { expect, test } from "vitest";
import { completed, eventsOf, ids, noTokens } from "../../test/ag-ui-stream.ts";
import type { RunEvent } from "../agent/run-event.ts";
import { eventMerging } from "../agent/run-event.ts";
import { EventLog } from "../base/event-log.ts";
import type { AgUiEvent } from "./ag-ui-event.ts";
import type { PositionedEvent } from "./position-reader.ts";
import { type PositionedOptions, positionedEvents } from "./positioned-events.ts";
import { StateMirror } from "./state-mirror.ts";
import { formatPosition, parsePosition } from "./stream-position.ts";

const words = ["One", " two", " three", " four"];

const told = (): AsyncGenerator<RunEvent> =>
  eventsOf(
    { kind: "run-start", agent: "boss" },
    { kind: "model-start", step: 1, model: "m" },
    { kind: "text-start", id: "a" },
    ...words.map((text) => ({ kind: "text-delta", id: "a", text }) as const),
    { kind: "text-end", id: "a" },
    { kind: "tool-start", id: "c", name: "add", arguments: { a: 1 } },
    completed,
  );

async function read(
  source: AsyncIterable<RunEvent>,
  options: Partial<PositionedOptions> = {},
): Promise<readonly PositionedEvent[]> {
  const events: PositionedEvent[] = [];
  for await (const one of positionedEvents(source, { ...ids, ...options })) {
    events.push(one);
  }
  return events;
}

/** A log that a reader comes to late, so that the pieces of a text are joined. */
async function late(): Promise<EventLog<RunEvent>> {
  const log = new EventLog(eventMerging);
  for await (const event of told()) {
    log.append(event);
  }
  log.close();
  return log;
}

/** The stream with the pieces of a text joined: what a client has at the end. */
function joined(events: readonly AgUiEvent[]): readonly unknown[] {
  const all: Record<string, unknown>[] = [];
  for (const { timestamp: _, ...event } of events) {
    const last = all.at(-1);
    if ("delta" in event && typeof event.delta === "string" && last?.["type"] === event.type) {
      last["delta"] = `${last["delta"]}${event.delta}`;
    } else {
      all.push({ ...event });
    }
  }
  return all;
}

const bare = (events: readonly PositionedEvent[]): readonly AgUiEvent[] =>
  events.map(({ event }) => event);

test("a client that reads on after any event has, in the end, what one has that never left", async () => {
  const whole = await read(told());
  for (const [index, { position }] of whole.entries()) {
    const id = formatPosition(position ?? { sequence: 0, index: 0 });
    const rest = await read(await late(), { after: parsePosition(id) });
    const seen = [...bare(whole.slice(0, index + 1)), ...bare(rest)];
    expect(joined(seen)).toEqual(joined(bare(whole)));
  }
});

test("a client that read joined pieces reads on between them as well", async () => {
  const some = await late();
  const first = await read(some);
  const after = { sequence: 5, index: 0, length: 7 };
  expect(joined(bare(await read(some, { after })))[0]).toMatchObject({ delta: " three four" });
  expect(joined(bare(first))).toEqual(joined(bare(await read(told()))));
});

test("a text too large for one event comes in several, and is read on within them", async () => {
  const large = `${"x".repeat(999_999)}😀${"y".repeat(1_500_000)}`;
  const log = new EventLog(eventMerging);
  const half = large.length / 2;
  for await (const event of eventsOf(
    { kind: "run-start", agent: "boss" },
    { kind: "text-start", id: "a" },
    { kind: "text-delta", id: "a", text: large.slice(0, half) },
    { kind: "text-delta", id: "a", text: large.slice(half) },
    { kind: "run-end", status: "completed", text: large, usage: noTokens },
  )) {
    log.append(event);
  }
  log.close();
  const whole = await read(log);
  const sizes = whole.map(({ event }) => JSON.stringify(event).length);
  expect(Math.max(...sizes)).toBeLessThan(1_100_000);
  for (const [index, { position: after }] of whole.entries()) {
    const rest = await read(log, { after });
    const seen = [...bare(whole.slice(0, index + 1)), ...bare(rest)];
    expect(joined(seen)).toEqual(joined(bare(whole)));
  }
  // As the stream was for one that read it while the second half had not come.
  const after = { sequence: 3, index: 1, length: half };
  const [first] = bare(await read(log, { after }));
  expect(first).toMatchObject({ type: "TEXT_MESSAGE_CONTENT" });
  const left = bare(await read(log, { after })).map((one) => ("delta" in one ? one.delta : ""));
  expect(left.join("")).toBe(large.slice(half));
});

test("a client that reads on gets the state anew, before anything else", async () => {
  const state = new StateMirror(async () => ({ plan: "pro" }));
  const [first, second] = await read(told(), { state, after: { sequence: 3, index: 0 } });
  expect(first).toEqual({ event: { type: "STATE_SNAPSHOT", snapshot: { plan: "pro" } } });
  expect(second?.event).toMatchObject({ type: "TEXT_MESSAGE_CONTENT", delta: "One" });
});

test("a position that is none is not understood", () => {
  for (const text of ["", "1", "1.", "-1.0", "1.0.0.0", "1e9.0", "x", `${"9".repeat(20)}.0`]) {
    expect(parsePosition(text)).toBeUndefined();
  }
  expect(parsePosition("12.0.7")).toEqual({ sequence: 12, index: 0, length: 7 });
});

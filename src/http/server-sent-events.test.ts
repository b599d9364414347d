import { expect, test } from "vitest";
import { ToolError } from "../base/tool-error.ts";
import { readServerSentEvents, type ServerSentEvent } from "./server-sent-events.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

async function* inChunks(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function read(
  chunks: AsyncIterable<Uint8Array>,
  maxEventBytes?: number,
): Promise<readonly ServerSentEvent[]> {
  const events: ServerSentEvent[] = [];
  const options = maxEventBytes === undefined ? {} : { maxEventBytes };
  for await (const batch of readServerSentEvents(chunks, options)) {
    events.push(...batch);
  }
  return events;
}

const readText = (text: string): Promise<readonly ServerSentEvent[]> =>
  read(inChunks(bytesOf(text)));

const stream = [
  "\uFEFF: hello\n\n",
  "data: 北京 🌍\n\n",
  "event: update\r\nid: 7\r\nretry: 500\r\ndata: one\r\ndata:two\r\ndata:  three\r\n\r\n",
  "data\rid\r\r",
  "id: 8\nunknown: x\nretry: soon\ndata: last\n\n",
].join("");

const expected = [
  { event: "message", data: "北京 🌍" },
  { event: "update", data: "one\ntwo\n three", id: "7", retryMs: 500 },
  { event: "message", data: "" },
  { event: "message", data: "last", id: "8" },
];

test("events are read with every line end, comments, a byte order mark and several data lines", async () => {
  expect(await readText(stream)).toEqual(expected);
});

test("a stream that is cut at any byte gives the same events", async () => {
  const bytes = bytesOf(stream);
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const events = await read(inChunks(bytes.subarray(0, cut), bytes.subarray(cut)));
    expect(events, `cut at ${cut}`).toEqual(expected);
  }
});

test("a stream that comes byte by byte gives the same events", async () => {
  const single = Array.from(bytesOf(stream), (byte) => Uint8Array.of(byte));
  expect(await read(inChunks(...single))).toEqual(expected);
});

test("the events that one chunk completes come as one batch", async () => {
  const sizes: number[] = [];
  const chunks = inChunks(bytesOf("data: 1\n\ndata: 2\n\ndata: 3"), bytesOf("\n\n"));
  for await (const batch of readServerSentEvents(chunks)) {
    sizes.push(batch.length);
  }
  expect(sizes).toEqual([2, 1]);
});

test("an event ends at a lone CR without waiting for what follows", async () => {
  const batches = readServerSentEvents(inChunks(bytesOf("data: a\r\r"), bytesOf("\ndata: b\n\n")));
  expect((await batches.next()).value).toEqual([{ event: "message", data: "a" }]);
  expect((await batches.next()).value).toEqual([{ event: "message", data: "b" }]);
});

test("an event that the stream leaves unfinished is dropped", async () => {
  expect(await readText("data: a\n\ndata: b\n")).toEqual([{ event: "message", data: "a" }]);
});

test("an event without data names its id for those after it and is not given itself", async () => {
  expect(await readText("event: x\nid: 3\n\ndata: a\n\n")).toEqual([
    { event: "message", data: "a", id: "3" },
  ]);
});

test("an id with a NUL in it is ignored", async () => {
  expect(await readText("id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n")).toEqual([
    { event: "message", data: "a", id: "1" },
    { event: "message", data: "b", id: "1" },
  ]);
});

test.each([
  ["one line that does not end", "data: ", "x".repeat(60), "x".repeat(60)],
  ["many data lines", `data: ${"x".repeat(60)}\n`, `data: ${"x".repeat(60)}\n`],
  ["one whole event", `data: ${"x".repeat(101)}\n\n`],
])("an event that is longer than allowed ends the reading: %s", async (_name, ...parts) => {
  const reading = read(inChunks(...parts.map(bytesOf)), 100);
  await expect(reading).rejects.toSatisfy(
    (error) => ToolError.is(error) && error.code === "tool-response-too-large",
  );
});

test("the longest event is counted for each event, not for the stream", async () => {
  const text = `: ${"c".repeat(80)}\n\ndata: ${"x".repeat(80)}\n\n`.repeat(5);
  expect(await read(inChunks(bytesOf(text)), 100)).toHaveLength(5);
});

test("leaving the loop closes the chunks", async () => {
  let closed = false;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      yield bytesOf("data: a\n\n");
      yield bytesOf("data: b\n\n");
    } finally {
      closed = true;
    }
  }
  for await (const _batch of readServerSentEvents(chunks())) {
    break;
  }
  expect(closed).toBe(true);
});

import { expect, test } from "vitest";
import { readEvents } from "./read-events.ts";

const bodyOf = (...chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> =>
  ReadableStream.from(chunks);

test("events are read however they are cut into pieces", async () => {
  const bytes = new TextEncoder().encode(
    ': ping\n\nid: 1.0\ndata: {"text":"Zürich"}\n\ndata: one\ndata: two\n\nid: 3\n\ndata: cut',
  );
  const expected = [
    { id: "1.0", data: '{"text":"Zürich"}' },
    { id: undefined, data: "one\ntwo" },
  ];
  for (const size of [1, 7, 1_000]) {
    const count = Math.ceil(bytes.length / size);
    const chunks = Array.from({ length: count }, (_, index) =>
      bytes.slice(index * size, (index + 1) * size),
    );
    const read: unknown[] = [];
    for await (const event of readEvents(bodyOf(...chunks))) {
      read.push(event);
    }
    expect(read).toEqual(expected);
  }
});

test("a reader that leaves ends the connection", async () => {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode("data: one\n\n")),
    cancel: () => {
      isCancelled = true;
    },
  });
  for await (const _ of readEvents(body)) {
    break;
  }
  expect(isCancelled).toBe(true);
});

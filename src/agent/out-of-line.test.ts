import { createHash, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { type Json, parseJson } from "../base/json.ts";
import { type BackInLine, largeFrom, largeMediaFrom, putBack, takeOut } from "./out-of-line.ts";

/** Artifacts in a map, and what was kept, in order. */
function shelf() {
  const kept = new Map<
    string,
    { bytes: Uint8Array; mediaType: string; name?: string | undefined }
  >();
  const keep = async (
    bytes: Uint8Array,
    { mediaType, name }: { readonly mediaType: string; readonly name?: string },
  ) => {
    const id = `sha256-${createHash("sha256").update(bytes).digest("hex")}`;
    kept.set(id, { bytes, mediaType, name });
    return id;
  };
  const back: BackInLine = {
    all: true,
    read: async (id) => kept.get(id)?.bytes,
    missing: (id) => `missing ${id.slice(0, 10)}`,
  };
  return { kept, how: { keepMedia: keep, keepValue: keep }, back };
}

const image = randomBytes(20_000).toString("base64");
const long = 'ä🌍\u0000"\\'.repeat(largeFrom / 4);
const list = Array.from({ length: 40_000 }, (_one, index) => ({ index }));

/** Values, and how many artifacts become of them. */
const values: Readonly<Record<string, readonly [Json, number]>> = {
  nothing: [null, 0],
  "a small value": [{ a: [1, "two", { three: true }] }, 0],
  "a long text": [{ value: long, content: [{ kind: "text", text: long }] }, 1],
  "a text with a byte order mark": [`\uFEFF${long}`, 1],
  "a text with half a character, which UTF-8 does not have": [`\ud800${"x".repeat(largeFrom)}`, 1],
  "a long list": [{ value: list }, 1],
  "two large parts": [{ one: list, two: { deep: [long] } }, 2],
  "many small parts": [Object.fromEntries(list.map(({ index }) => [`k${index}`, [index]])), 1],
  "a picture in a message": [
    [
      {
        kind: "image",
        mediaType: "image/png",
        name: "a.png",
        source: { kind: "data", base64: image },
      },
    ],
    1,
  ],
  "a file of a tool": [{ kind: "inline", mediaType: "a/b", size: 20_000, base64: image }, 1],
  "a small picture": [
    { kind: "image", mediaType: "image/png", source: { kind: "data", base64: "AAAA" } },
    0,
  ],
  "base64 that would not come back the same": [
    {
      mediaType: "a/b",
      source: { kind: "data", base64: `${image.slice(0, -4)}\n${image.slice(-4)}` },
    },
    0,
  ],
  "base64 of nobody knows what": [{ source: { kind: "data", base64: image } }, 0],
  "what only looks like a reference": [
    [
      { "dragoman:artifact": `sha256-${"0".repeat(64)}` },
      { "dragoman:text": "x" },
      { "dragoman:value": { "dragoman:value": { "dragoman:artifact": "y" } } },
      { "dragoman:artifact": "x", more: 1 },
    ],
    0,
  ],
  "what only looks like one around much": [{ "dragoman:value": list, x: long }, 2],
  "a name that objects have": [JSON.parse(`{"__proto__":${JSON.stringify(long)},"a":1}`), 1],
};

test.each(Object.entries(values))("%s comes back as it was", async (_, [value, count]) => {
  const { kept, how, back } = shelf();
  const taken = await takeOut(value, how);
  expect(kept.size).toBe(count);
  expect(JSON.stringify(taken).length).toBeLessThan(count === 0 ? 100_000 : 2_000);
  const written = parseJson(JSON.stringify(taken)) ?? null;
  expect(JSON.stringify(await putBack(written, back))).toBe(JSON.stringify(value));
});

test("equal parts of different values are one artifact, as are a medium and its file", async () => {
  const { kept, how } = shelf();
  await takeOut({ kind: "success", value: list }, how);
  await takeOut(
    { kind: "image", mediaType: "image/png", source: { kind: "data", base64: image } },
    how,
  );
  const [, second] = [...kept.values()];
  expect(second?.bytes.toString()).toBe(new Uint8Array(Buffer.from(image, "base64")).toString());
  await takeOut([[list]], how);
  await takeOut({ kind: "inline", mediaType: "a/b", base64: image }, how);
  expect(kept.size).toBe(2);
});

test("media alone are taken out of messages, which stay messages", async () => {
  const { kept, how } = shelf();
  const part = {
    kind: "image",
    mediaType: "image/png",
    name: "a",
    source: { kind: "data", base64: image },
  };
  const taken = await takeOut([part, { kind: "text", text: long }], {
    ...how,
    keepValue: undefined,
  });
  const [[id, medium] = ["", undefined]] = [...kept];
  expect(medium).toMatchObject({ mediaType: "image/png", name: "a" });
  expect(taken).toEqual([
    { ...part, source: { kind: "url", url: `artifact:${id}` } },
    { kind: "text", text: long },
  ]);
});

test("what cannot be kept stays where it is", async () => {
  const nothing = { keepMedia: async () => undefined, keepValue: async () => undefined };
  for (const [value] of Object.values(values)) {
    const taken = await takeOut(value, nothing);
    const back = await putBack(taken, shelf().back);
    expect(JSON.stringify(back)).toBe(JSON.stringify(value));
  }
});

test("what is not there any more is told", async () => {
  const { how } = shelf();
  const taken = await takeOut({ value: long }, how);
  const { back } = shelf();
  expect(await putBack(taken, back)).toEqual({ value: expect.stringMatching(/^missing sha256/) });
  expect(largeMediaFrom).toBeLessThan(image.length);
});

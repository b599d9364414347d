import { expect, test } from "vitest";
import { cutText, fitJson } from "./fit-json.ts";

const conversation = (length: number) => [
  { role: "user", parts: [{ type: "text", content: "x".repeat(length) }] },
  { role: "assistant", parts: [{ type: "text", content: "Short." }] },
];

test("what fits is left as it is", () => {
  expect(fitJson(conversation(10), 200)).toBe(JSON.stringify(conversation(10)));
  expect(fitJson({ at: new Date(0) }, 200)).toBe('{"at":"1970-01-01T00:00:00.000Z"}');
});

test.each([100, 150, 1_000, 16_384])(
  "texts are cut so that %i characters of JSON stay JSON",
  (most) => {
    const text = fitJson(conversation(100_000), most) ?? "";
    expect(text.length).toBeLessThanOrEqual(most);
    expect(JSON.parse(text)).toBeDefined();
    if (most >= 150) {
      expect(JSON.parse(text)).toMatchObject([
        { role: "user" },
        { parts: [{ content: "Short." }] },
      ]);
    }
  },
);

test("many small parts become one text, which is JSON as well", () => {
  const text =
    fitJson(
      Array.from({ length: 9_999 }, () => '"\n'),
      300,
    ) ?? "";
  expect(text.length).toBeLessThanOrEqual(300);
  expect(JSON.parse(text)).toMatch(/^\["\\"\\n",.*…$/);
});

test("half a character is never left", () => {
  expect(cutText("a😀😀", 4).isWellFormed()).toBe(true);
});

test("what JSON cannot say is left out", () => {
  const circle: unknown[] = [];
  circle.push(circle);
  expect([circle, () => 1, undefined, 1n].map((value) => fitJson(value, 99))).toEqual(
    Array.from({ length: 4 }, () => undefined),
  );
});

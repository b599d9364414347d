import { format, inspect } from "node:util";
import { expect, test } from "vitest";
import { Secret } from "./secret.ts";

const secret = new Secret("hunter2");

test("a secret gives its text only where it is asked to", () => {
  expect(secret.reveal()).toBe("hunter2");
});

test.each([
  ["a template", `${secret}`],
  ["concatenation", ["a", secret].join("")],
  ["JSON", JSON.stringify({ secret, list: [secret] })],
  ["inspection", inspect({ secret }, { showHidden: true, depth: 9 })],
  ["console formats", format("%s %o %j %O", secret, secret, secret, secret)],
  ["its keys", JSON.stringify([Object.entries(secret), { ...secret }])],
  ["a clone", inspect(structuredClone(secret))],
  ["an error's cause", inspect(new Error("x", { cause: secret }))],
])("a secret does not show in %s", (_name, shown) => {
  expect(shown).not.toContain("hunter2");
});

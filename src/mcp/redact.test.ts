import { expect, test } from "vitest";
import { hideValues, redactUrl } from "./redact.ts";

test("a URL is shown without user, query, fragment and keys in its path", () => {
  const url = new URL("https://u:SECRET@h:81/api/s/NzA4ODkzMTAtZjQ5Zi00NWNjLTk/mcp?k=SECRET#x");
  expect(redactUrl(url)).toBe("https://h:81/api/s/…/mcp");
});

test("known secrets are hidden in a text, the longer before the shorter", () => {
  const text = "key sk-12345678-long and sk-12345678, in PROD";
  expect(hideValues(text, ["sk-12345678", "sk-12345678-long", "PROD"])).toBe(
    "key [hidden] and [hidden], in PROD",
  );
});

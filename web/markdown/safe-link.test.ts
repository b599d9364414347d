import { expect, test } from "vitest";
import { safeLink } from "./safe-link.ts";

test("links lead to the web and to mail, and nowhere else", () => {
  expect(safeLink("https://example.com/a?b#c")).toBe("https://example.com/a?b#c");
  expect(safeLink("mailto:ada@example.com")).toBe("mailto:ada@example.com");
  for (const href of [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\nscript:alert(1)",
    " javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:http://127.0.0.1/x",
    "/runs/run_1/cancel",
    "//evil.example",
    "#/runs",
    "",
  ]) {
    expect(safeLink(href)).toBeUndefined();
  }
});

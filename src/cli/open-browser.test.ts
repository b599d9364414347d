import { expect, test } from "vitest";
import { openerOf } from "./open-browser.ts";

const windows = { platform: "win32", env: { SystemRoot: "D:\\Windows" } } as const;

test("a page is opened by the system's own program", () => {
  expect(openerOf(windows)).toEqual([
    "D:\\Windows\\System32\\rundll32.exe",
    "url.dll,FileProtocolHandler",
  ]);
  expect(openerOf({ platform: "win32", env: {} })[0]).toMatch(/^C:\\Windows/);
  expect(openerOf({ platform: "darwin", env: {} })).toEqual(["open"]);
});

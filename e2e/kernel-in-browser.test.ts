import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleForBrowser, withStaticImports } from "../test/browser-bundle.ts";
import type { RunReport } from "./kernel-in-page.ts";
import { type OpenedPage, openPage } from "./open-page.ts";
import { type BundleSite, serveBundle } from "./serve-bundle.ts";

const stack = new AsyncDisposableStack();
let site: BundleSite;
let opened: OpenedPage;
let entryFiles: readonly string[];

beforeAll(async () => {
  const bundle = await bundleForBrowser("e2e/kernel-in-page.ts");
  entryFiles = withStaticImports(bundle, bundle.entry).map(({ fileName }) => fileName);
  site = stack.use(await serveBundle(bundle));
  opened = stack.use(await openPage(site.server.origin));
});

afterAll(() => stack.disposeAsync());

/** Runs one function of the page's program there. */
async function inPage(name: keyof typeof import("./kernel-in-page.ts")): Promise<RunReport> {
  // A text, since Vitest would rewrite the import() of a function. In a task of its own, since what the
  // debugger runs at once may use eval whatever the page says.
  return opened.page.evaluate(`new Promise((resolve) => setTimeout(resolve))
    .then(() => import("/${entryFiles[0]}"))
    .then((program) => program["${name}"]())`);
}

test("in a browser, two tools run side by side and the model reads both results", async () => {
  expect(await inPage("callToolsSideBySide")).toEqual({
    status: "completed",
    text: "Both are mild.",
    why: "stop",
    toolResults: ["rome: 20 celsius", "oslo: 20 celsius"],
  });
});

test("in a browser, a run can be cancelled", async () => {
  expect(await inPage("cancelRun")).toEqual({
    status: "cancelled",
    text: "One moment",
    why: "the user left",
    toolResults: [],
  });
});

test("in a browser, a passed deadline ends a run", async () => {
  expect(await inPage("passDeadline")).toEqual({
    status: "failed",
    text: "Thinking",
    why: "deadline-exceeded",
    toolResults: [],
  });
});

test("a page loads one chunk more, when a pattern of a JSON Schema is to be checked", async () => {
  expect(site.requested.toSorted()).toEqual(entryFiles.toSorted());
  const { status, text, toolResults } = await inPage("checkJsonSchema");
  expect({ status, text }).toEqual({ status: "completed", text: "42." });
  expect(toolResults).toEqual([expect.stringContaining("value: must be"), "42"]);
  expect(site.requested).toHaveLength(entryFiles.length + 1);
});

test("in a browser, an agent for which no model was chosen answers by the offline model", async () => {
  const { status, toolResults } = await inPage("answerWithoutModel");
  expect({ status, toolResults }).toEqual({
    status: "completed",
    toolResults: ["It is sunny in Rome."],
  });
});

test("a page that allows no eval sees no error", () => {
  expect(opened.errors).toEqual([]);
});

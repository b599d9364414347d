import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { silentLogger } from "../src/base/logger.ts";
import { createDragoman } from "../src/configure.ts";
import type { Model } from "../src/model/model.ts";
import { memoryArtifacts } from "../src/stores/memory-artifacts.ts";
import { memorySessions } from "../src/stores/memory-sessions.ts";
import { scriptedModel } from "../src/testing/scripted-model.ts";
import { defineTool } from "../src/tool/define-tool.ts";
import { toolSuccess } from "../src/tool/tool-result.ts";
import { buildWebUi, openWebUi, type WebUiSite } from "./web-ui-site.ts";

const root = join(import.meta.dirname, "..");
const filesystem = join(root, "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");
const usage = { inputTokens: 1_204, outputTokens: 96 };

/** Comes true in a while: servers start, and the machine may be busy. */
const soon = <Value>(value: () => Value) => expect.poll(value, { timeout: 20_000 });

/** Says one word after the other, each when the test lets it. */
class GatedModel implements Model {
  readonly id = "gated";
  readonly capabilities = { tools: true, images: false, jsonSchema: false };
  #gates: (() => void)[] = [];

  /** Lets it say the next word, once it is at it. */
  async next(): Promise<void> {
    await soon(() => this.#gates.length).toBeGreaterThan(0);
    this.#gates.shift()?.();
  }

  async *stream(_: unknown, { signal }: { readonly signal: AbortSignal }) {
    yield { kind: "text-start", id: "t" } as const;
    for (const text of ["One ", "**two** ", "three."]) {
      await new Promise<void>((resolve, reject) => {
        const leave = (): void => {
          this.#gates = this.#gates.filter((gate) => gate !== resolve);
          reject(signal.reason);
        };
        this.#gates.push(resolve);
        signal.addEventListener("abort", leave, { once: true });
      });
      yield { kind: "text-delta", id: "t", text } as const;
    }
    yield { kind: "text-end", id: "t" } as const;
    yield { kind: "finish", reason: "stop", usage } as const;
  }
}

const refund = defineTool({
  name: "refund",
  description: "Refunds an order.",
  annotations: { destructive: true },
  inputSchema: z.object({ order: z.string(), amount: z.number().min(1) }),
  execute: ({ order, amount }) => `Refunded ${amount} for ${order}.`,
});

const draw = defineTool({
  name: "draw",
  description: "Draws.",
  execute: () =>
    toolSuccess("Drawn.", {
      content: [
        { kind: "text", text: "Drawn." },
        {
          kind: "image",
          mediaType: "image/png",
          source: {
            kind: "data",
            base64:
              "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
          },
        },
      ],
      artifacts: [
        { kind: "inline", mediaType: "text/csv", name: "figures.csv", base64: "YSxi", size: 3 },
      ],
    }),
});

const measure = defineTool({
  name: "measure",
  description: "Measures, after it has asked.",
  async execute(_, { pause }) {
    const schema = {
      type: "object",
      properties: { size: { type: "integer", minimum: 1 } },
      required: ["size"],
    };
    await pause?.keep("asked");
    const answer = await pause?.ask({ server: "tailor", message: "Which size?", schema }, 0);
    return JSON.stringify(answer);
  },
});

const gated = new GatedModel();

const stack = new AsyncDisposableStack();
let site: WebUiSite;

beforeAll(async () => {
  const { folder } = stack.use(await buildWebUi());
  const dragoman = createDragoman({
    env: {},
    logger: silentLogger,
    sessions: memorySessions(),
    artifacts: { store: memoryArtifacts() },
  });
  const calls = (name: string, given: object) => ({
    reasoning: "I should call it.",
    calls: [{ id: "c1", name, arguments: { ...given } }],
    usage,
  });
  const turns = scriptedModel([
    ({ messages }) => {
      const last = messages.at(-1);
      const text = JSON.stringify(last);
      if (last?.role === "tool") {
        return `It said ${text.includes("Refunded") ? "refunded" : text.slice(0, 400)}`;
      }
      if (text.includes("refund")) {
        return calls("refund", { order: "4711", amount: 62 });
      }
      if (text.includes("fail")) {
        return { text: "Well", error: new Error("the inside of the server") };
      }
      return text.includes("draw") ? calls("draw", {}) : calls("measure", {});
    },
  ]);
  const files = dragoman.defineAgent({
    name: "files",
    model: "offline",
    mcp: [
      {
        name: "docs",
        transport: {
          type: "stdio",
          command: process.execPath,
          args: [filesystem, "docs"],
          cwd: root,
        },
      },
    ],
  });
  site = stack.use(
    await openWebUi(folder, [
      stack.use(await files.start()),
      dragoman.defineAgent({
        name: "support",
        description: "Helps.",
        instructions: "Be brief.",
        model: turns,
        tools: [refund, draw, measure],
        approval: { tools: { refund: "ask" } },
      }),
      dragoman.defineAgent({ name: "slow", model: gated }),
    ]),
  );
}, 120_000);

afterAll(() => stack.disposeAsync());

beforeEach(async () => {
  await site.page.setViewportSize({ width: 1280, height: 800 });
});

const idle = (): Promise<void> =>
  soon(() => site.page.locator(".activity").textContent()).toBe("Done.");

test("P1: the offline model and a real MCP server answer in the chat, and the call is there to be seen", async () => {
  const { page } = site;
  await site.say("files", "List the directory docs");
  await idle();
  expect(await page.locator(".message.text").last().textContent()).toContain("agents.md");
  const row = page.locator(".tool-row", { hasText: "list_directory" }).last();
  expect(await row.textContent()).toMatch(/list_directory[\s\S]*docs[\s\S]*\d+ m?s[\s\S]*done/);
  await row.locator("summary").click();
  expect(await row.getByLabel("Arguments").textContent()).toMatch(/docs"/);
  expect(await row.getByLabel("Result").textContent()).toContain("agents.md");
}, 60_000);

test("P1: an answer is shown while it is written, and nothing that is shown moves away", async () => {
  const { page } = site;
  await site.say("slow", "Count.");
  const text = page.locator(".message.text .markdown");
  const top = async (): Promise<number | undefined> => (await text.boundingBox())?.y;
  await gated.next();
  await soon(() => text.textContent()).toMatch(/^One/);
  const before = await top();
  await gated.next();
  await soon(() => text.innerHTML()).toContain("<strong>two</strong>");
  await gated.next();
  await idle();
  expect(await text.textContent()).toBe("One two three.");
  expect(await top()).toBe(before);
  expect(await page.locator(".run-facts").textContent()).toContain("1,204 tokens in, 96 out");
});

test("P1: a run is stopped by the key Escape, and by its button", async () => {
  const { page } = site;
  for (const stop of [
    () => page.getByLabel("Message to slow").press("Escape"),
    () => page.getByRole("button", { name: "Stop the run" }).click(),
  ]) {
    await site.say("slow", "Count.");
    await gated.next();
    await page.locator(".message.text .markdown").waitFor();
    await stop();
    await page.getByText("Cancelled").waitFor();
    expect(await page.locator(".activity").textContent()).toBe("");
  }
});

test("P1: a page that is loaded again goes on with the run, and after it with the conversation", async () => {
  const { page } = site;
  await site.say("slow", "Count.");
  await gated.next();
  await page.locator(".message.text .markdown").waitFor();
  await page.reload();
  await soon(() => page.locator(".message.text").textContent()).toMatch(/^One/);
  expect(await page.locator(".bubble").count()).toBe(1);
  await gated.next();
  await gated.next();
  await idle();
  await page.reload();
  await soon(() => page.locator(".message.text").textContent()).toBe("One two three.");
  await page.getByLabel("Message to slow").fill("Again.");
  await page.keyboard.press("Enter");
  for (const _ of ["One", "two", "three."]) {
    await gated.next();
  }
  await soon(() => page.locator(".message.text").count()).toBe(2);
  await idle();
  const entry = page.getByLabel("Conversations").locator("li", { hasText: "Count." }).first();
  await entry.locator("a").click();
  await soon(() => page.locator(".bubble").count()).toBeGreaterThan(0);
});

test("P1: a call waits until somebody approves it, also over a reload", async () => {
  const { page } = site;
  await site.say("support", "Please refund it.");
  const question = page.getByRole("article", { name: /Approval needed/ });
  expect(await question.textContent()).toContain('"order": "4711"');
  await page.reload();
  await question.waitFor();
  expect(await page.locator(".tool-row").textContent()).toContain("waiting");
  await question.getByRole("button", { name: "Approve" }).press("Enter");
  await soon(() => page.locator(".message.text").last().textContent()).toContain("refunded");
  expect(await page.locator(".tool-row").textContent()).toContain("done");
});

test("P1: a call is denied with a reason, which the model reads", async () => {
  const { page } = site;
  await site.say("support", "Please refund it.");
  await page.getByLabel("Reason, which the model reads").fill("Too dear.");
  await page.getByRole("button", { name: "Deny" }).click();
  await soon(() => page.locator(".message.text").last().textContent()).toContain("Too dear.");
  expect(await page.locator(".tool-row").textContent()).toContain("failed");
});

test("P1: what a server asks in the middle of a call is a form", async () => {
  const { page } = site;
  await site.say("support", "Please measure.");
  const form = page.getByRole("article", { name: /A server asks/ });
  await form.getByRole("button", { name: "Send" }).click();
  expect(await form.textContent()).toContain("This is needed.");
  await form.getByLabel("size").fill("0");
  await form.getByRole("button", { name: "Send" }).click();
  expect(await form.textContent()).toContain("1 or more");
  await form.getByLabel("size").fill("44");
  await form.getByLabel("size").press("Enter");
  await soon(() => page.locator(".message.text").last().textContent()).toContain("44");
});

test("P1: pictures of a result are shown and its files can be saved", async () => {
  const { page } = site;
  await site.say("support", "Please draw.");
  await idle();
  const picture = page.locator(".media img").first();
  expect(
    await picture.evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth),
  ).toBe(1);
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download" }).click();
  expect((await saving).suggestedFilename()).toBe("figures.csv");
});

test("P1: a failure has its code and what to do, says nothing of the inside, and can be tried again", async () => {
  const { page } = site;
  await site.say("support", "Please fail.");
  const failure = page.locator(".failure");
  expect(await failure.textContent()).toContain("internal-error");
  expect(await failure.textContent()).not.toContain("inside of the server");
  await failure.getByRole("button", { name: "Try again" }).click();
  await soon(() => page.locator(".failure").count()).toBe(2);
});

test("P1: agents are shown with instructions, model, servers and tools", async () => {
  const { page } = site;
  await site.show("/agents/support");
  await page.getByText("Be brief.").waitFor();
  const main = page.locator(".pane-main");
  expect(await main.textContent()).toMatch(/scripted[\s\S]*The agent names it[\s\S]*refund ask/);
  await page.getByRole("link", { name: "files" }).click();
  await page.getByText("connected", { exact: true }).waitFor();
  expect(await main.textContent()).toMatch(/offline[\s\S]*docs[\s\S]*14 tools/);
});

test("P1: a tool is tried by a form of its schema, behind the agent's approval", async () => {
  const { page } = site;
  await site.show("/tools/support/refund");
  await page.getByLabel("order").fill("4712");
  await page.getByRole("button", { name: "Call the tool" }).click();
  expect(await page.locator(".trial").textContent()).toContain("This is needed.");
  await page.getByLabel("amount").fill("5");
  await page.getByRole("button", { name: "Call the tool" }).click();
  await page.getByRole("button", { name: "Approve" }).click();
  await soon(() => page.locator(".outcome").textContent()).toContain("Refunded 5 for 4712.");
  await page.getByPlaceholder("Filter by name").fill("draws");
  expect(await page.locator(".choice-list li").count()).toBe(1);
});

test("P1: runs are listed, filtered and followed, and one that waits is cancelled", async () => {
  const { page } = site;
  await site.say("slow", "Count what is followed.");
  await gated.next();
  await site.show("/runs");
  await page.getByRole("button", { name: "Running" }).click();
  const rows = page.locator(".runs tbody tr");
  await soon(() => rows.count()).toBe(1);
  await page.getByRole("link", { name: "Count what is followed." }).click();
  await page.locator(".waterfall-row.of-model.is-running").waitFor();
  await gated.next();
  await gated.next();
  await page.locator(".waterfall-row.of-model.is-ok").waitFor();
  await soon(() => page.locator(".page-head").textContent()).toContain("completed");
  expect(await page.locator(".page").textContent()).toMatch(/1,204 \/ 96[\s\S]*One two three\./);
  await page.getByRole("button", { name: /^Events/ }).click();
  await page.getByLabel("Filter the events").fill("model-");
  expect(await page.locator(".events li").count()).toBe(2);

  await site.say("support", "Please refund it.");
  await page.getByRole("link", { name: "See the run" }).click();
  await page.getByRole("article", { name: /Approval needed/ }).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await soon(() => page.locator(".page-head").textContent()).toContain("cancelled");
  await site.show("/runs");
  expect(await page.locator(".page").textContent()).toContain("No store is configured");
  await page.getByRole("button", { name: "Waiting" }).click();
  await page.getByText("No runs").waitFor();
});

test("P1: nothing was asked for elsewhere, no policy was broken, and the console has no error", () => {
  expect(site.strangers).toEqual([]);
  expect(site.errors).toEqual([]);
});

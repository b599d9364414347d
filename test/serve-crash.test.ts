import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AgUiEvent } from "../src/ag-ui/ag-ui-event.ts";
import { eventsIn, type Frame, framesOf, textIn } from "./ag-ui-client.ts";
import { brokenRules } from "./ag-ui-rules.ts";
import { file, folder, type Running, start } from "./command-line.ts";
import { agUiInput, jsonOf } from "./server-fixture.ts";

const sources = new URL("../src/index.ts", import.meta.url).href;
const testing = new URL("../src/testing/index.ts", import.meta.url).href;

/** An agent whose tool says that it has begun, and waits for a file, which the first process never sees. */
const agents = () => `import { defineAgent, defineTool } from "${sources}";
import { scriptedModel } from "${testing}";
import { existsSync, writeFileSync } from "node:fs";
const wait = defineTool({
  name: "wait",
  description: "Waits.",
  inputSchema: { type: "object" },
  idempotent: true,
  execute: () => {
    writeFileSync("${join(folder(), "begun")}", "");
    return existsSync("${join(folder(), "go")}") ? "done" : new Promise(() => {});
  },
});
const model = scriptedModel([
  ({ messages }) =>
    messages.at(-1).role === "tool"
      ? "It is done."
      : { text: "Let me see.", calls: [{ id: "c1", name: "wait", arguments: {} }] },
]);
export const agents = [defineAgent({ name: "waiter", model, tools: [wait] })];
`;

async function serving(config: string): Promise<Running & { readonly url: string }> {
  const store = ["--store", join(folder(), "runs.db"), "--sessions", join(folder(), "sessions.db")];
  const running = start("serve", "--port", "0", "--config", config, ...store);
  let url = "";
  running.child.stdout?.on("data", (text: string) => {
    url ||= /Serving at (\S+)/.exec(text)?.[1] ?? "";
  });
  await running.printed("Stop with Ctrl+C.");
  return { ...running, url };
}

test("after kill -9 of the server in the midst of a run, the next one goes on with it and the client reads on", async () => {
  const config = file("agents.mjs", agents());
  const first = await serving(config);
  const response = await fetch(`${first.url}/agents/waiter/ag-ui`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(agUiInput("Wait")),
  });
  const frames: Frame[] = [];
  const reading = (async () => {
    for await (const frame of framesOf(response)) {
      frames.push(frame);
    }
  })();
  const broken = expect(reading).rejects.toThrow();
  await expect.poll(() => existsSync(join(folder(), "begun"))).toBe(true);
  await expect.poll(() => frames.map(({ event }) => event.type)).toContain("TOOL_CALL_END");
  first.child.kill("SIGKILL");
  await broken;
  await first.outcome;
  file("go", "");

  const second = await serving(config);
  const told = frames[0]?.event.metadata?.["dragoman"] as { readonly runId: string }; // ours
  const query = `threadId=thread&runId=wire-1&sourceRunId=${told.runId}`;
  const headers = { "last-event-id": frames.at(-1)?.id ?? "" };
  const rest = await fetch(`${second.url}/agents/waiter/ag-ui?${query}`, { headers });
  const whole: readonly AgUiEvent[] = [
    ...frames.map(({ event }) => event),
    ...(await eventsIn(rest)),
  ];
  expect(textIn(whole)).toBe("Let me see.It is done.");
  expect(whole.at(-1)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "success" } });
  expect(brokenRules(whole, { threadId: "thread", runId: "wire-1" })).toEqual([]);
  const { runs } = await jsonOf(await fetch(`${second.url}/runs`));
  expect(runs).toMatchObject([{ id: told.runId, status: "completed", text: "It is done." }]);
  second.child.kill("SIGTERM");
  expect((await second.outcome).code).toBe(0);
}, 60_000);

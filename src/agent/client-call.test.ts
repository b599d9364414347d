import { expect, test } from "vitest";
import { add, agentOf, collect, modelOf } from "../../test/agent-fixture.ts";
import { defineClientTool } from "../tool/client-tool.ts";
import { MemoryRunStore } from "./memory-run-store.ts";
import type { SuspendedRun } from "./run-result.ts";
import type { Decision } from "./waiting.ts";

const where = defineClientTool({
  name: "where",
  description: "Where the user is.",
  parameters: { type: "object", properties: { exact: { type: "boolean" } }, required: ["exact"] },
});

const asked = {
  calls: [
    { id: "c0", name: "where", arguments: { exact: true } },
    { id: "c1", name: "add", arguments: { a: 1, b: 2 } },
  ],
};

const agentWith = (model = modelOf(asked, "There.")) => agentOf({ model, tools: [where, add] });

const answered = (decision: Decision) => ({ decisions: { "client-tool:c0": decision } });

test("a call of the client's tool waits for the client, and the calls beside it are made", async () => {
  const model = modelOf(asked, "There.");
  const agent = agentWith(model);
  const run = agent.stream("Where am I?");
  const kinds = (await collect(run)).flatMap((event) =>
    event.kind === "tool-start" || event.kind === "tool-end" ? [`${event.kind} ${event.id}`] : [],
  );
  expect(kinds).toEqual(["tool-start c1", "tool-end c1"]);
  const { waitingFor } = (await run.result) as SuspendedRun;
  expect(waitingFor).toEqual([
    {
      kind: "client-tool",
      id: "client-tool:c0",
      agentPath: ["tester"],
      call: { id: "c0", name: "where", arguments: { exact: true } },
    },
  ]);
  const resumed = agent.resumeStream(run.id, answered({ kind: "answer", value: { city: "Bern" } }));
  expect((await collect(resumed)).map(({ kind }) => kind).slice(0, 3)).toEqual([
    "run-resume",
    "tool-start",
    "tool-end",
  ]);
  expect(await resumed.result).toMatchObject({ status: "completed", text: "There." });
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({
    content: [
      { id: "c0", isError: false, content: [{ kind: "text", text: '{"city":"Bern"}' }] },
      { id: "c1", content: [{ kind: "text", text: "3" }] },
    ],
  });
});

test.each([
  [{ kind: "deny", reason: "The user said no." }, true, "The user said no."],
  [{ kind: "deny" }, true, 'Tool "where" was not called: the client gave no answer.'],
  [{ kind: "answer", value: "Bern" }, false, "Bern"],
  [{ kind: "answer", value: { content: [{ kind: "text", text: "Bern!" }] } }, false, "Bern!"],
  [{ kind: "answer", value: { content: [1] } }, false, '{"content":[1]}'],
] as const)("the model reads what the client decided: %j", async (decision, isError, text) => {
  const model = modelOf(asked, "There.");
  const agent = agentWith(model);
  const { runId } = await agent.ask("Where am I?");
  await agent.resume(runId, answered(decision as Decision)); // of the table
  const last = model.requests[1]?.messages.at(-1);
  expect(last?.role === "tool" && last.content[0]).toMatchObject({
    isError,
    content: [{ kind: "text", text }],
  });
});

test("arguments that the client's tool does not take are refused before the client is asked", async () => {
  const model = modelOf({ calls: [{ name: "where", arguments: {} }] }, "Sorry.");
  expect(await agentWith(model).ask("?")).toMatchObject({ status: "completed" });
  expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("exact");
});

test("a client's tool stays one under another name", async () => {
  const model = modelOf({ calls: [{ name: "locate", arguments: { exact: true } }] });
  const agent = agentOf({ model, tools: [where.with({ name: "locate" })] });
  expect(await agent.ask("?")).toMatchObject({
    status: "suspended",
    waitingFor: [{ kind: "client-tool", call: { name: "locate" } }],
  });
});

test("a decision that is no answer is refused", async () => {
  const agent = agentWith();
  const { runId } = await agent.ask("Where am I?");
  expect(await agent.resume(runId, answered({ kind: "approve" }))).toMatchObject({
    status: "failed",
    error: { code: "decision-refused" },
  });
});

test("each time a run is resumed it says so, and each time it waits again it says for what", async () => {
  const store = new MemoryRunStore();
  const agent = agentWith();
  const run = agent.stream("Where am I?", { store });
  await run.result;
  for (let count = 0; count < 3; count += 1) {
    const events = await collect(agent.resumeStream(run.id, { store }));
    expect(events.map(({ kind }) => kind)).toEqual(["run-resume", "run-suspend"]);
  }
});

test("a run that is asked nothing goes on from its session as it stands", async () => {
  const model = modelOf("One.", "Two.");
  await agentOf({ model }).ask([]);
  expect(model.requests[0]?.messages).toEqual([]);
});

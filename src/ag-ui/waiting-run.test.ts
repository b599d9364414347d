import { expect, test } from "vitest";
import { eventsOf, sent } from "../../test/ag-ui-stream.ts";
import { MemoryRunStore } from "../agent/memory-run-store.ts";
import type { Waiting } from "../agent/waiting.ts";
import type { ResumeEntry } from "./run-agent-input.ts";
import { answersTo, findWaitingRun, type WaitingRun } from "./waiting-run.ts";

const form = {
  id: "elicitation:files:1",
  kind: "elicitation",
  agentPath: ["boss"],
  server: "files",
  message: "Which folder?",
  schema: { type: "object", properties: { folder: { type: "string" } }, required: ["folder"] },
} as const satisfies Waiting;

const link: Waiting = {
  id: "elicitation:wiki:1",
  kind: "elicitation",
  agentPath: ["boss"],
  server: "wiki",
  message: "Log in.",
  url: "https://wiki.example/login",
};

const inDoubt: Waiting = {
  id: "confirm-retry:c1",
  kind: "confirm-retry",
  agentPath: ["boss"],
  call: { id: "c1", name: "pay", arguments: { euro: 7 }, server: "bank" },
};

async function waitingFor(...waiting: readonly Waiting[]): Promise<WaitingRun> {
  const store = new MemoryRunStore();
  const key = { app: "desk", id: "run" };
  await store.create({ ...key, agent: "boss", session: "thread", input: "Go" }, "owner");
  await store.write(key, "owner", { status: "suspended", waitingFor: waiting });
  const query = { stores: [undefined, store], app: "desk", agent: "boss", session: "thread" };
  const found = await findWaitingRun({ ...query, actor: undefined });
  expect(await findWaitingRun({ ...query, actor: "eve" })).toBeUndefined();
  expect(await findWaitingRun({ ...query, agent: "else", actor: undefined })).toBeUndefined();
  return found as WaitingRun; // it was written just now
}

const answer = (waiting: Waiting, payload: ResumeEntry["payload"] = null): ResumeEntry => ({
  interruptId: `run:${waiting.id}`,
  status: "resolved",
  payload,
});

test("what servers ask, and calls in doubt, are interrupts with what a front end needs", async () => {
  const events = await sent(
    eventsOf(
      { kind: "run-start", agent: "boss" },
      { kind: "run-suspend", waitingFor: [form, link, inDoubt] },
    ),
    { shownCallIds: ["c1"] },
  );
  expect(events.at(-1)).toMatchObject({
    outcome: {
      type: "interrupt",
      interrupts: [
        {
          id: "run:elicitation:files:1",
          reason: "input_required",
          message: "Which folder?",
          responseSchema: form.schema,
          metadata: { dragoman: { kind: "elicitation", server: "files" } },
        },
        { reason: "input_required", metadata: { dragoman: { url: "https://wiki.example/login" } } },
        {
          reason: "tool_call",
          toolCallId: "c1",
          message: expect.stringMatching(/not known. Call it again\?$/),
          metadata: { dragoman: { tool: "pay", arguments: { euro: 7 }, server: "bank" } },
        },
      ],
    },
  });
});

test("all are answered at once, each in its own form", async () => {
  const waiting = await waitingFor(form, link, inDoubt);
  const resume: readonly ResumeEntry[] = [
    answer(form, { folder: "docs" }),
    { interruptId: `run:${link.id}`, status: "cancelled" },
    answer(inDoubt, { approved: true }),
  ];
  expect(await answersTo(waiting, resume, [], 0)).toEqual({
    kind: "decisions",
    decisions: {
      [form.id]: { kind: "answer", value: { folder: "docs" } },
      [link.id]: { kind: "deny", reason: "The user gave no answer." },
      [inDoubt.id]: { kind: "approve" },
    },
  });
  expect(await answersTo(waiting, resume.slice(1), [], 0)).toMatchObject({
    kind: "refused",
    failure: { code: "interrupts-open" },
  });
});

test("an answer that does not fit the server's form is refused with what is wrong", async () => {
  const waiting = await waitingFor(form);
  expect(await answersTo(waiting, [answer(form, { folder: 7 })], [], 0)).toMatchObject({
    kind: "refused",
    failure: { code: "resume-invalid", message: expect.stringMatching(/folder.*string/) },
  });
});

test("a caller who is nobody in particular does not find the run of somebody", async () => {
  const store = new MemoryRunStore();
  const key = { app: "desk", id: "run" };
  const run = { ...key, agent: "boss", session: "thread", actor: "ada", input: "Go" };
  await store.create(run, "owner");
  await store.write(key, "owner", { status: "suspended", waitingFor: [link] });
  const query = { stores: [store], app: "desk", agent: "boss", session: "thread" };
  expect(await findWaitingRun({ ...query, actor: undefined })).toBeUndefined();
  expect(await findWaitingRun({ ...query, actor: "ada" })).toMatchObject({ record: { id: "run" } });
});

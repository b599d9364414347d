import { expect, test } from "vitest";
import { add, agentOf, collect, modelOf } from "../../test/agent-fixture.ts";
import type { Model } from "../model/model.ts";
import type { ModelEvent } from "../model/model-event.ts";

const usage = { inputTokens: 1, outputTokens: 1 };
const finish = { kind: "finish", reason: "stop", usage } as const;

/** A model of an adapter that is not as careful as it should be. */
const careless = (...events: readonly unknown[]): Model => ({
  ...modelOf("x"),
  async *stream() {
    yield* events as readonly ModelEvent[];
  },
});

const start = (id: string) => ({ kind: "text-start", id });
const delta = (id: string, text: string) => ({ kind: "text-delta", id, text });
const end = (id: string) => ({ kind: "text-end", id });

/** Orders of events that lose nothing. */
const texts: Readonly<Record<string, readonly unknown[]>> = {
  "an id used twice": [
    start("0"),
    delta("0", "one "),
    end("0"),
    start("0"),
    delta("0", "two"),
    end("0"),
  ],
  "an id started again while open": [start("0"), delta("0", "one "), start("0"), delta("0", "two")],
  "a delta without a start": [delta("0", "one "), delta("0", "two")],
  "a text that is never ended": [start("0"), delta("0", "one two")],
  "an end without a start": [end("9"), start("0"), delta("0", "one two"), end("0"), end("0")],
};

test.each(Object.entries(texts))("%s loses no text, and all is closed once", async (_, events) => {
  const run = agentOf({ model: careless(...events, finish) }).stream("Hi");
  const seen = await collect(run);
  expect((await run.result).text).toBe("one two");
  const ids = (kind: string) =>
    seen.flatMap((event) => (event.kind === kind && "id" in event ? [event.id] : []));
  expect(ids("text-start")).toEqual(ids("text-end"));
  expect(new Set(ids("text-start")).size).toBe(ids("text-start").length);
});

test("two calls under one id are both executed", async () => {
  const call = (a: number) => [
    { kind: "tool-call-start", id: "c", name: "add" },
    { kind: "tool-call-delta", id: "c", text: `{"a":${a},"b":1}` },
    { kind: "tool-call-end", id: "c" },
  ];
  let turn = 0;
  const model: Model = {
    ...modelOf("x"),
    async *stream() {
      turn += 1;
      yield* (
        turn === 1 ? [...call(1), ...call(2), finish] : [delta("0", "ok"), finish]
      ) as ModelEvent[];
    },
  };
  const result = await agentOf({ model, tools: [add] }).ask("Hi");
  const [results] = result.messages.filter(({ role }) => role === "tool");
  expect(results).toMatchObject({
    content: [{ content: [{ text: "2" }] }, { content: [{ text: "3" }] }],
  });
});

test.each([
  ["nothing", null],
  ["no event", { kind: "chunk" }],
  ["a call without a name", { kind: "tool-call-start", id: "c" }],
  ["a piece of a call that never began", { kind: "tool-call-delta", id: "c", text: "{}" }],
])("%s is the adapter's fault, in words", async (_, event) => {
  const result = await agentOf({ model: careless(event, finish) }).ask("Hi");
  expect(result).toMatchObject({ status: "failed", error: { code: "model-invalid-response" } });
});

test("an end without usage counts nothing", async () => {
  const model = careless(delta("0", "hi"), { kind: "finish", reason: "stop" });
  expect(await agentOf({ model }).ask("Hi")).toMatchObject({
    status: "completed",
    usage: { inputTokens: 0 },
  });
});

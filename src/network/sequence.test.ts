import { expect, test } from "vitest";
import * as z from "zod";
import { collect } from "../../test/agent-fixture.ts";
import { crew } from "../../test/crew.ts";
import { memorySessions } from "../stores/memory-sessions.ts";

test("P6: each member of a sequence is asked what the one before it answered", async () => {
  const { member, asked, defineSequence } = crew();
  const members = [
    member("draft", "a draft"),
    member("edit", "an edit"),
    member("print", "a print"),
  ];
  const result = await defineSequence({ name: "press", members }).ask("Write");
  expect(["draft", "edit", "print"].map(asked)).toEqual([["Write"], ["a draft"], ["an edit"]]);
  expect(result).toMatchObject({
    status: "completed",
    text: "a print",
    steps: 3,
    usage: { inputTokens: 3, outputTokens: 3 },
    participants: [{ name: "draft" }, { name: "edit" }, { name: "print" }],
  });
  expect(result.messages).toEqual([
    { role: "user", content: [{ kind: "text", text: "Write" }] },
    { role: "assistant", content: [{ kind: "text", text: "a print" }] },
  ]);
});

test("answers can be named in later instructions and questions, also by an outputKey", async () => {
  const { member, asked, model, defineSequence } = crew();
  const facts = member("research", "42");
  const writer = member("writer", "done", { instructions: "Use {facts}. Keep {braces}." });
  const members = [
    { agent: facts, outputKey: "facts" },
    { agent: writer, input: "Answer {input} with {facts}" },
  ];
  await defineSequence({ name: "pair", members }).ask("the question");
  expect(asked("writer")).toEqual(["Answer the question with 42"]);
  expect(model("writer").requests[0]?.messages[0]).toEqual({
    role: "system",
    text: "Use 42. Keep {braces}.",
  });
});

test("a typed answer goes on as JSON, and the last one's is the output", async () => {
  const { asked, member, defineSequence } = crew();
  const output = z.object({ n: z.number() });
  const first = member("first", '{"n":1}', { output });
  const last = member("last", '{"n":2}', { output });
  const result = await defineSequence({ name: "s", members: [first, last] }).ask("Go");
  expect(asked("last")).toEqual(['{"n":1}']);
  expect(result.status === "completed" && result.output).toEqual({ n: 2 });
});

test("a member that fails ends the sequence, and the error says who and why", async () => {
  const { member, asked, defineSequence } = crew();
  const broken = member("broken", { error: new Error("no model") }, { retry: { maxAttempts: 1 } });
  const after = member("after", "never");
  const result = await defineSequence({ name: "s", members: [broken, after] }).ask("Go");
  expect(result).toMatchObject({
    status: "failed",
    error: {
      code: "participant-failed",
      message: expect.stringMatching(/^"broken" of "s" failed: .*no model/),
    },
    participants: [{ name: "broken", result: { status: "failed" } }],
  });
  expect(asked("after")).toEqual([]);
});

test("assemblies nest, and each event carries the path to where it happened", async () => {
  const { member, defineSequence } = crew();
  const inner = defineSequence({ name: "inner", members: [member("a", "1"), member("b", "2")] });
  const middle = defineSequence({ name: "middle", members: [inner] });
  const outer = defineSequence({ name: "outer", members: [middle, member("c", "3")] });
  const events = await collect(outer.stream("Go"));
  const paths = events.flatMap((event) =>
    event.kind === "agent-start" || event.kind === "agent-end"
      ? [`${event.kind} ${event.agentPath.join("/")}`]
      : [],
  );
  expect(paths).toEqual([
    "agent-start outer/middle",
    "agent-start outer/middle/inner",
    "agent-start outer/middle/inner/a",
    "agent-end outer/middle/inner/a",
    "agent-start outer/middle/inner/b",
    "agent-end outer/middle/inner/b",
    "agent-end outer/middle/inner",
    "agent-end outer/middle",
    "agent-start outer/c",
    "agent-end outer/c",
  ]);
  expect([events[0]?.kind, events.at(-1)?.kind]).toEqual(["run-start", "run-end"]);
});

test("the session of an assembly is the conversation that its members see", async () => {
  const sessions = memorySessions();
  const { member, model, defineSequence } = crew({ sessions });
  const pair = defineSequence({ name: "pair", members: [member("a", "x"), member("b", "y")] });
  await pair.ask("one", { session: { id: "s" } });
  await pair.ask("two", { session: { id: "s" } });
  const texts = model("b").requests[1]?.messages.map((message) =>
    message.role === "system" ? "" : JSON.stringify(message.content[0]),
  );
  expect(texts).toEqual([
    expect.stringContaining("one"),
    expect.stringContaining("y"),
    expect.stringContaining("x"),
  ]);
  expect(await sessions.messages({ app: "default", id: "s" })).toHaveLength(4);
});

test.each([
  [{ name: "", members: [] }, "needs at least one member"],
  [{ name: "s", members: [{ name: "x" }] }, "nothing that can be asked"],
  [{ name: "s", members: ["agent"] }, "nothing that can be asked"],
])("a sequence that cannot be meant is refused: %j", (definition, message) => {
  const { defineSequence } = crew();
  expect(() => defineSequence(definition as never)).toThrow(message);
});

test("two members of one name are refused, unless one is given another", () => {
  const { member, defineSequence } = crew();
  const same = member("same", "x");
  expect(() => defineSequence({ name: "s", members: [same, same] })).toThrow(/called "same"/);
  expect(defineSequence({ name: "s", members: [same, { agent: same, name: "again" }] }).name).toBe(
    "s",
  );
});

test("an answer of nothing is said to be one, since no provider takes an empty question", async () => {
  const { member, asked, defineSequence } = crew();
  const members = [member("silent", { text: "" }), member("next", "ok")];
  expect(await defineSequence({ name: "s", members }).ask("Go")).toMatchObject({ text: "ok" });
  expect(asked("next")).toEqual(["(no answer)"]);
});

import { expect, test } from "vitest";
import * as z from "zod";
import { add, agentOf, collect, modelOf } from "../../test/agent-fixture.ts";
import type { Json } from "../base/json.ts";
import { defineTool } from "../tool/define-tool.ts";
import { fromServer } from "../tool/from-server.ts";
import type { Toolset } from "../tool/toolset.ts";
import { fillReferences } from "./plan.ts";

const look = defineTool({
  name: "look",
  description: "Looks up a number.",
  inputSchema: z.object({ key: z.string() }),
  execute: ({ key }) => ({ found: { [key]: 40 }, list: [1, 2] }),
});

const breaks = defineTool({
  name: "breaks",
  description: "Breaks.",
  execute: () => {
    throw new Error("disk full");
  },
});

const planOf = (...steps: readonly (readonly [tool: string, given: object])[]): string =>
  JSON.stringify({
    thought: "step by step",
    steps: steps.map(([tool, given]) => ({ tool, arguments: given })),
  });

const tools = [add, look, breaks];

test("L-M2, L-M11: a plan in prose is found, its steps run in order, and the model answers", async () => {
  const plan = planOf(["look", { key: "x" }], ["add", { a: "{{steps.1.result.found.x}}", b: 2 }]);
  const model = modelOf(`Here is my plan:\n\`\`\`json\n${plan}\n\`\`\`\nGood?`, "It is 42.");
  const run = agentOf({ model, tools, mode: "plan" }).stream("x + 2?");
  const events = await collect(run);
  expect(await run.result).toMatchObject({ status: "completed", text: "It is 42.", steps: 2 });
  const ends = events.flatMap((event) => (event.kind === "tool-end" ? [event.result] : []));
  expect(ends).toMatchObject([{ kind: "success" }, { kind: "success", value: 42 }]);
  expect(model.requests[0]?.output?.schema).toMatchObject({ required: ["thought", "steps"] });
  expect(model.requests[0]?.tools).toEqual([]);
  expect(JSON.stringify(model.requests[0]?.messages)).toMatch(/Looks up a number/);
  expect(JSON.stringify(model.requests[1]?.messages)).toMatch(/"text":"42"/);
  const spoken = events.flatMap((event) => (event.kind === "text-delta" ? [event.text] : []));
  expect(spoken.join("")).toBe("It is 42.");
});

/** Ways in which a plan is written, all of the same plan. */
const writings: Readonly<Record<string, (plan: string) => string>> = {
  "by itself": (plan) => plan,
  "in a fence": (plan) => `\`\`\`json\n${plan}\n\`\`\``,
  "in prose": (plan) => `I would do this: ${plan} Shall I?`,
  "in a fence after other braces": (plan) => `With {a} and {b}:\n\`\`\`\n${plan}\n\`\`\``,
};

test.each(Object.entries(writings))(
  "L-M2: a plan that stands %s is found at once",
  async (_, write) => {
    const model = modelOf(write(planOf(["add", { a: 1, b: 1 }])), "2");
    expect((await agentOf({ model, tools, mode: "plan" }).ask("Go")).text).toBe("2");
    expect(model.requests).toHaveLength(2);
  },
);

/** The tool that breaks, as a server's. */
const files: Toolset = {
  name: "files",
  open: async () => ({
    tools: [fromServer(breaks, { server: "files", name: "breaks" })],
    close: async () => {},
  }),
};

test("L-C3: who plans is told of native tools and of those of servers", async () => {
  const model = modelOf('{"thought":"","steps":[],"answer":"Hello."}');
  await agentOf({ model, tools: [add], mcp: [files], mode: "plan" }).ask("Hi");
  const told = JSON.stringify(model.requests[0]?.messages);
  expect(["Adds two numbers.", "Breaks."].filter((words) => !told.includes(words))).toEqual([]);
});

test.each([
  ["a tool of its own", { tools }],
  ["a server's tool", { tools: [add], mcp: [files] }],
])(
  "L-C12: a step that fails, of %s, ends the plan, and the answer says which and why",
  async (_, has) => {
    const model = modelOf(planOf(["add", { a: 1, b: 1 }], ["breaks", {}], ["add", { a: 2, b: 2 }]));
    const run = agentOf({ model, ...has, mode: "plan" }).stream("Go");
    const events = await collect(run);
    const message = "Step 2 of the plan (breaks) failed: disk full";
    expect(await run.result).toMatchObject({
      status: "failed",
      text: message,
      error: { code: "plan-step-failed", message, step: 2, tool: "breaks" },
    });
    expect(events.filter(({ kind }) => kind === "tool-start")).toHaveLength(2);
  },
);

test("the model may plan anew after a failure, knowing what happened", async () => {
  const model = modelOf(planOf(["breaks", {}]), planOf(["add", { a: 1, b: 1 }]), "2");
  const result = await agentOf({ model, tools, mode: "plan", maxReplans: 1 }).ask("Go");
  expect(result).toMatchObject({ status: "completed", text: "2" });
  expect(JSON.stringify(model.requests[1]?.messages)).toMatch(/disk full/);
});

test("a question that needs no tool is answered by the plan itself", async () => {
  const model = modelOf('{"thought":"easy","steps":[],"answer":"Hello."}');
  const run = agentOf({ model, tools, mode: "plan" }).stream("Hi");
  const events = await collect(run);
  expect(await run.result).toMatchObject({ status: "completed", text: "Hello.", steps: 1 });
  expect(events.some((event) => event.kind === "text-delta" && event.text === "Hello.")).toBe(true);
});

/** Plans that cannot be executed, and what the model is told of them. */
const faults: Readonly<Record<string, { plan: string; told: RegExp }>> = {
  "no JSON": { plan: "First I would look.", told: /not a JSON object/ },
  "no steps": { plan: '{"thought":"x"}', told: /no list \\"steps\\"/ },
  "nothing at all": { plan: '{"steps":[]}', told: /neither steps nor an answer/ },
  "an unknown tool": { plan: planOf(["lok", {}]), told: /step 1: There is no tool .*lok.*look/ },
  "wrong arguments": { plan: planOf(["add", { a: 1 }]), told: /step 1: .*not valid/ },
  "a reference forward": {
    plan: planOf(["add", { a: "{{steps.1.result}}", b: 1 }]),
    told: /step 1 refers to the result of step 1/,
  },
};

test.each(Object.entries(faults))(
  "a plan with %s is sent back with the reason",
  async (_, { plan, told }) => {
    const model = modelOf(plan, planOf(["add", { a: 1, b: 1 }]), "2");
    expect((await agentOf({ model, tools, mode: "plan" }).ask("Go")).text).toBe("2");
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toMatch(told);
  },
);

test("a model that never plans fails the run", async () => {
  const result = await agentOf({ model: modelOf("hm"), tools, mode: "plan" }).ask("Go");
  expect(result).toMatchObject({ status: "failed", error: { code: "invalid-plan" } });
});

const results = new Map<number, Json>([
  [1, { name: "Ada", ages: [36, 37], deep: { "odd-key": true } }],
  [2, "text"],
]);

test.each<readonly [Json, Json]>([
  ["{{steps.1.result}}", { name: "Ada", ages: [36, 37], deep: { "odd-key": true } }],
  ["{{ steps.1.result.name }}", "Ada"],
  ["{{steps.1.result.ages[1]}}", 37],
  ["{{steps.1.result.ages.0}}", 36],
  ["{{steps.1.result.deep.odd-key}}", true],
  ["Hello {{steps.1.result.name}}, {{steps.2.result}}!", "Hello Ada, text!"],
  ["{{steps.1.result.ages}} years", "[36,37] years"],
  ["{{steps.1.result.nobody.there}}", null],
  ["{{steps.1.result.__proto__}}", null],
  ["{{steps.9.result}}", null],
  ["no reference {{here}}", "no reference {{here}}"],
  [
    { list: ["{{steps.2.result}}", 1], keep: null },
    { list: ["text", 1], keep: null },
  ],
])("%j is filled in as %j", (value, filled) => {
  expect(fillReferences(value, results)).toEqual(filled);
});

test("a plan keeps to the run's limits, and the model answers with what there is", async () => {
  const steps = Array.from({ length: 10 }, (_, n) => ["add", { a: n, b: 1 }] as const);
  const ask = (limits: object, ...turns: [string, ...string[]]) =>
    agentOf({ model: modelOf(...turns), tools, mode: "plan", maxReplans: 30, limits }).ask("Go");
  const calls = await ask({ maxToolCalls: 2 }, planOf(...steps), "so far");
  expect(calls).toMatchObject({
    status: "completed",
    finishReason: "max-tool-calls",
    text: "so far",
  });
  expect(calls.messages.filter(({ role }) => role === "tool")).toHaveLength(2);
  const rounds = await ask(
    { maxSteps: 2 },
    planOf(["breaks", {}]),
    planOf(["breaks", {}]),
    "enough",
  );
  expect(rounds).toMatchObject({ status: "completed", finishReason: "max-steps", steps: 3 });
});

test("results that double from step to step are stopped before they fill the memory", async () => {
  const say = defineTool({
    name: "say",
    description: "",
    inputSchema: z.object({ text: z.string() }),
    execute: ({ text }) => text,
  });
  const doubling = Array.from(
    { length: 30 },
    (_, n) =>
      [
        "say",
        { text: n === 0 ? "x".repeat(1_000) : `{{steps.${n}.result}}{{steps.${n}.result}}` },
      ] as const,
  );
  const result = await agentOf({
    model: modelOf(planOf(...doubling)),
    tools: [say],
    mode: "plan",
  }).ask("Go");
  expect(result).toMatchObject({ status: "failed", error: { code: "plan-step-failed" } });
});

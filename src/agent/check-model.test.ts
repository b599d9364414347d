import { expect, test } from "vitest";
import { agentOf, modelOf } from "../../test/agent-fixture.ts";
import { createDragoman } from "../configure.ts";
import { checkModel } from "./check-model.ts";

const wrong: readonly (readonly [unknown, RegExp])[] = [
  [5, /is a number\. It is an id, such as "openai:gpt-5"/],
  ["", /is an empty text/],
  [null, /is no model/],
  [() => 1, /is a function: call it, as in openAiCompatible\(\{ … \}\)/],
  [Promise.resolve(1), /is a promise: await it/],
  [{ foo: 1 }, /has neither stream nor generate/],
  [{ specificationVersion: "v3", doStream: () => 1 }, /wrap it, as in fromAiSdk\(model\)/],
];

test.each(wrong)("%o is no model, which is told where it is written", (value, words) => {
  const model = value as never; // TypeScript knows better
  const fallbackModels = [model];
  const places: readonly (readonly [string, () => unknown])[] = [
    ["The model of agent", () => agentOf({ model })],
    ["Entry 0 in the fallbackModels of agent", () => agentOf({ fallbackModels })],
    ["The model of the run", () => agentOf({ model: modelOf("x") }).stream("Hi", { model })],
    ["The model of the configuration", () => createDragoman({ model })],
  ];
  for (const [where, make] of places) {
    expect(make).toThrow(words);
    expect(make).toThrow(where);
  }
});

test.each([
  undefined,
  "offline",
  modelOf("x"),
  { modelName: "m", generate: () => "", available: () => true },
])("%o is one, or none", (value) => {
  expect(() => checkModel(value, "The model")).not.toThrow();
});

import { expect, test } from "vitest";
import { add, modelOf } from "../test/agent-fixture.ts";
import { createDragoman, type DragomanConfig } from "./configure.ts";

test("configure replaces what is given and keeps the rest, from the next run on", async () => {
  const first = modelOf("first");
  const second = modelOf("second");
  const dragoman = createDragoman({ model: first, tools: [add], env: {} });
  const agent = dragoman.defineAgent({ name: "a" });
  expect((await agent.ask("?")).text).toBe("first");
  dragoman.configure({ model: second });
  expect((await agent.ask("?")).text).toBe("second");
  expect(second.requests[0]?.tools).toHaveLength(1);
});

test("two of them share nothing", async () => {
  const one = createDragoman({ model: modelOf("one"), env: {} });
  const two = createDragoman({ model: modelOf("two"), env: {} });
  one.configure({ tools: [add] });
  expect((await two.defineAgent({ name: "a" }).ask("?")).text).toBe("two");
});

test("L-C16: a tool that is registered globally can be chosen by name", async () => {
  const model = modelOf("ok");
  const dragoman = createDragoman({ model, tools: [add, add.with({ name: "plus" })], env: {} });
  await dragoman.defineAgent({ name: "a", tools: ["plus"] }).ask("?");
  expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["plus"]);
});

test.each([
  [{ modle: "offline" }, /configuration has an unknown property "modle". Did you mean "model"/],
  [{ tools: [{ name: "x", execute: () => 1 }] }, /Entry 0 in the tools of the configuration/],
])("a configuration with a mistake throws at once: %o", (config, message) => {
  expect(() => createDragoman(config as DragomanConfig)).toThrow(message);
  expect(() => createDragoman().configure(config as DragomanConfig)).toThrow(message);
});

test("a change that was refused is not there at the next change", async () => {
  const dragoman = createDragoman({ model: modelOf("first"), env: {} });
  expect(() => dragoman.configure({ artifacts: { maxBytes: -1 } })).toThrow(/maxBytes/);
  dragoman.configure({ model: modelOf("second") });
  expect((await dragoman.defineAgent({ name: "a" }).ask("?")).text).toBe("second");
});

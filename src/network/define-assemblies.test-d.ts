import { expectTypeOf, test } from "vitest";
import * as z from "zod";
import { createDragoman } from "../configure.ts";

const { defineAgent, defineSequence, defineLoop, defineSwarm, defineNetwork, defineWorkflow } =
  createDragoman();

const count = defineAgent({ name: "count", output: z.object({ n: z.number() }) });
const name = defineAgent({ name: "name", output: z.object({ text: z.string() }) });
type Either = { n: number } | { text: string };

test("the answer of a sequence is that of its last member", async () => {
  const pair = defineSequence({ name: "s", members: [name, { agent: count, input: "{name}" }] });
  expectTypeOf((await pair.ask("?")).orThrow().output).toEqualTypeOf<{ n: number }>();
  const nested = defineSequence({ name: "s", members: [count, pair, name] });
  expectTypeOf((await nested.ask("?")).orThrow().output).toEqualTypeOf<{ text: string }>();
});

test("the answer of what ends at any member is that of any", async () => {
  const members = [count, name] as const;
  const loop = defineLoop({ name: "l", members, maxRounds: 2 });
  expectTypeOf((await loop.ask("?")).orThrow().output).toEqualTypeOf<Either>();
  const swarm = defineSwarm({ name: "s", members });
  expectTypeOf((await swarm.ask("?")).orThrow().output).toEqualTypeOf<Either>();
  const network = defineNetwork({ name: "n", tasks: [{ agent: count }, name] });
  expectTypeOf((await network.ask("?")).orThrow().output).toEqualTypeOf<Either>();
});

test("a workflow knows the answers of whom it asks, and gives what its function gives", async () => {
  const flow = defineWorkflow(async ({ ask, step }) => {
    const { output } = await ask(count, "?");
    expectTypeOf(output).toEqualTypeOf<{ n: number }>();
    expectTypeOf(await step("a", () => Number("1"))).toEqualTypeOf<number>();
    expectTypeOf(await step("b", async () => {})).toEqualTypeOf<void>();
    return { total: output.n };
  });
  expectTypeOf((await flow.ask("?")).orThrow().output).toEqualTypeOf<{ total: number }>();
});

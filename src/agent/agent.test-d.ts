import { expectTypeOf, test } from "vitest";
import * as z from "zod";
import { createDragoman } from "../configure.ts";

const { defineAgent } = createDragoman();

test("the output of a run is inferred from the agent's schema", async () => {
  const agent = defineAgent({ name: "a", output: z.object({ days: z.number().default(1) }) });
  const result = await agent.ask("?");
  if (result.status === "completed") {
    expectTypeOf(result.output).toEqualTypeOf<{ days: number }>();
  }
  expectTypeOf(result.orThrow().output).toEqualTypeOf<{ days: number }>();
  expectTypeOf(agent.stream("?").result).resolves.toEqualTypeOf<typeof result>();
});

test("an agent without a schema has no output", async () => {
  const result = await defineAgent({ name: "a" }).ask("?");
  if (result.status === "completed") {
    expectTypeOf(result.output).toEqualTypeOf<undefined>();
  }
});

test("the status decides what a result has", async () => {
  const result = await defineAgent({ name: "a" }).ask("?");
  if (result.status === "failed") {
    expectTypeOf(result.error.code).toEqualTypeOf<string>();
  }
  // @ts-expect-error: only a failed run has an error
  result.error;
});

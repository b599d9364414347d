import { expectTypeOf, test } from "vitest";
import * as z from "zod";
import type { Json } from "../base/json.ts";
import { defineTool } from "./define-tool.ts";
import type { Tool } from "./tool.ts";

test("the input is inferred from a Standard Schema, defaults filled in", () => {
  const tool = defineTool({
    name: "x",
    description: "",
    inputSchema: z.object({ plan: z.enum(["free", "pro"]), seats: z.number().default(1) }),
    execute: (input) => {
      expectTypeOf(input).toEqualTypeOf<{ plan: "free" | "pro"; seats: number }>();
      return input.seats;
    },
  });
  expectTypeOf(tool).toExtend<Tool<{ plan: "free" | "pro"; seats: number }, number>>();
});

test("a plain JSON Schema gives a JSON object", () => {
  defineTool({
    name: "x",
    description: "",
    inputSchema: { type: "object" },
    execute: (input) => {
      expectTypeOf(input).toEqualTypeOf<{ readonly [key: string]: Json }>();
      return null;
    },
  });
});

test("tools of any input stand in one list", () => {
  const one = defineTool({
    name: "x",
    description: "",
    inputSchema: z.object({ a: z.string() }),
    execute: () => 1,
  });
  const two = defineTool({ name: "y", description: "", execute: () => "" });
  expectTypeOf([one, two]).toExtend<readonly Tool[]>();
});

import { expect, test } from "vitest";
import * as z from "zod";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { defineTool } from "./define-tool.ts";

const noop = (): null => null;

test("a tool without a schema takes no arguments", () => {
  const tool = defineTool({ name: "now", description: "The time.", execute: noop });
  expect(tool.parameters).toEqual({ type: "object", properties: {} });
});

test("a zod schema becomes the JSON Schema that the model sees", () => {
  const tool = defineTool({
    name: "add",
    description: "Adds.",
    inputSchema: z.object({ a: z.number().describe("left") }),
    execute: ({ a }) => a,
  });
  expect(tool.parameters).toMatchObject({
    type: "object",
    properties: { a: { type: "number", description: "left" } },
  });
});

test("with() replaces what is given, keeps the rest and leaves the original alone", () => {
  const source = { server: "s", name: "orig" };
  const tool = defineTool({
    name: "a",
    description: "A.",
    idempotent: true,
    source,
    execute: noop,
  });
  const renamed = tool.with({ name: "b", timeoutMs: 5 });
  expect(renamed).toMatchObject({ name: "b", description: "A.", timeoutMs: 5, source });
  expect(renamed.idempotent).toBe(true);
  expect(tool.name).toBe("a");
});

test.each([
  [
    { name: "no spaces allowed", description: "", execute: noop },
    /"no spaces allowed" is not valid/,
  ],
  [{ name: "", description: "", execute: noop }, /not valid/],
  [{ name: "x".repeat(65), description: "", execute: noop }, /1 to 64/],
  [{ name: "x", execute: noop } as never, /needs a description/],
  [{ name: "x", description: "" } as never, /execute function/],
  [
    { name: "x", description: "", inputSchema: z.string(), execute: noop },
    /type "string"; models can only pass an object/,
  ],
  [
    { name: "x", description: "", parameters: z.object({}), execute: noop } as never,
    /"x" has an unknown property "parameters". It is called "inputSchema" here/,
  ],
  [
    { name: "x", description: "", handler: noop } as never,
    /unknown property "handler". It is called "execute" here/,
  ],
  [
    { name: "x", description: "", inputShcema: z.object({}), execute: noop } as never,
    /unknown property "inputShcema". Did you mean "inputSchema"/,
  ],
  [
    { name: "x", description: "", inputSchema: { plan: z.string() } as never, execute: noop },
    /is no schema itself, though its "plan" is one: wrap it, as in z.object\(\{ plan: … \}\)/,
  ],
])("a definition with a mistake throws at once: %o", (specification, message) => {
  expect(() => defineTool(specification)).toThrow(ConfigurationError);
  expect(() => defineTool(specification)).toThrow(message);
});

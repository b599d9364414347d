import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { agentOf, modelOf } from "../test/agent-fixture.ts";
import { templateFile } from "./template-file.ts";

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "dragoman-template-"));
  writeFileSync(join(folder, "support.md"), "You help {{ customer }} on plan {{plan}}.\n");
});

afterAll(() => rmSync(folder, { recursive: true }));

const ask = async (...values: [] | [Parameters<typeof templateFile>[1]]) => {
  const model = modelOf("ok");
  const instructions = templateFile(join(folder, "support.md"), ...values);
  const result = await agentOf({ model, instructions }).ask("Hi", { actor: "Ada" });
  return { result, system: model.requests[0]?.messages[0] };
};

test("P8: instructions come from a file, filled with values", async () => {
  const { system } = await ask({ customer: "Ada", plan: 3 });
  expect(system).toEqual({ role: "system", text: "You help Ada on plan 3.\n" });
});

test("P8: values may depend on who runs", async () => {
  const { system } = await ask(({ run }) => ({ customer: `${run.actor}`, plan: "pro" }));
  expect(system).toMatchObject({ text: "You help Ada on plan pro.\n" });
});

test("a missing value fails the run and is named with the file", async () => {
  const { result } = await ask({ customer: "Ada" });
  expect(result).toMatchObject({ status: "failed", error: { code: "invalid-definition" } });
  expect(result.status === "failed" && result.error.message).toMatch(
    /support\.md.*"plan".*customer/,
  );
});

test("a missing file fails the run and is named", async () => {
  const result = await agentOf({ model: modelOf("x"), instructions: templateFile("/none.md") }).ask(
    "?",
  );
  expect(result).toMatchObject({ status: "failed", error: { code: "invalid-configuration" } });
});

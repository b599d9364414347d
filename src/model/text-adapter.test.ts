import { expect, test } from "vitest";
import { collect, outcomeOf } from "../../test/model-events.ts";
import type { ModelRequest } from "./model.ts";
import { ModelError } from "./model-error.ts";
import {
  fromTextAdapter,
  type GenerateOptions,
  type TextAdapter,
  toModel,
} from "./text-adapter.ts";

/** What an adapter was asked. */
type Asked = readonly [prompt: string, options: Omit<GenerateOptions, "signal">];

function adapterOf(text: string | null, more: Partial<TextAdapter> = {}) {
  const asked: Asked[] = [];
  const adapter: TextAdapter = {
    available: () => true,
    modelName: "tiny",
    generate: (prompt, { signal: _signal, ...options }) => {
      asked.push([prompt, options]);
      return text;
    },
    ...more,
  };
  return { adapter, asked };
}

const schema = { type: "object", properties: { ok: { type: "boolean" } } };

const request: ModelRequest = {
  messages: [
    { role: "system", text: "Be brief." },
    { role: "user", content: [{ kind: "text", text: "Hi" }] },
  ],
  tools: [],
};

const ask = async (adapter: TextAdapter, asked: Partial<ModelRequest> = {}) =>
  outcomeOf(
    await collect(
      fromTextAdapter(adapter).stream(
        { ...request, ...asked },
        { signal: new AbortController().signal },
      ),
    ),
  );

test("L-M1, L-M8: three members make a model: availability, a name and text that follows a prompt", async () => {
  const { adapter, asked } = adapterOf("Hello");
  const model = toModel(adapter);
  expect(model).toMatchObject({
    id: "adapter:tiny",
    capabilities: { tools: false, images: false, jsonSchema: false },
  });
  expect(await ask(adapter)).toMatchObject({ text: "Hello", finish: { reason: "stop" } });
  expect(asked).toEqual([["Be brief.\n\nHi", { json: false }]]);
  expect(toModel(model)).toBe(model);
});

test("L-M1: an adapter that is not available, gives no answer or throws is a ModelError", async () => {
  const unavailable = adapterOf("never", { available: async () => false, modelName: null });
  await expect(ask(unavailable.adapter)).rejects.toMatchObject({
    code: "model-unavailable",
    message: expect.stringContaining("not available"),
  });
  expect(unavailable.asked).toEqual([]);
  await expect(ask(adapterOf(null).adapter)).rejects.toThrow("gave no answer");
  const cause = new TypeError("fetch failed");
  const broken = adapterOf("", { generate: () => Promise.reject(cause) });
  const failure = { code: "model-unavailable", cause, message: expect.stringMatching("fetch") };
  await expect(ask(broken.adapter)).rejects.toMatchObject(failure);
  const own = new ModelError("slow down", { code: "model-rate-limited", retryable: true });
  const limited = adapterOf("", { generate: () => Promise.reject(own) });
  await expect(ask(limited.adapter)).rejects.toBe(own);
});

test("L-M3: an adapter that supports structured output gets the schema, another one is told in words", async () => {
  const plain = adapterOf("{}");
  await ask(plain.adapter, { output: { schema } });
  expect(plain.asked).toEqual([[expect.stringContaining(JSON.stringify(schema)), { json: true }]]);
  const held = adapterOf("{}", { supportsStructuredOutput: true });
  await ask(held.adapter, { output: { schema } });
  expect(held.asked).toEqual([["Be brief.\n\nHi", { json: true, schema }]]);
  expect(fromTextAdapter(held.adapter).capabilities.jsonSchema).toBe(true);
});

const tools = [{ name: "read", description: "Reads.", inputSchema: schema }];

test("L-M9: an adapter may call tools natively, if it says so", async () => {
  const given: unknown[] = [];
  const calling: Partial<TextAdapter> = {
    generateWithTools: (prompt, options) => {
      given.push([prompt, options.tools]);
      return given.length === 1
        ? { kind: "tool", name: "read", arguments: { path: "/a" }, thought: "I must read it." }
        : { kind: "final", text: "Done", thought: "That was it." };
    },
  };
  const silent = adapterOf("plain", calling).adapter;
  expect(fromTextAdapter(silent).capabilities.tools).toBe(false);
  expect(await ask(silent, { tools })).toMatchObject({ text: "plain" });
  const { adapter, asked } = adapterOf("plain", { ...calling, supportsFunctionCalling: true });
  expect(fromTextAdapter(adapter).capabilities.tools).toBe(true);
  expect(await ask(adapter, { tools })).toMatchObject({
    reasoning: "I must read it.",
    calls: [["read", '{"path":"/a"}']],
    finish: { reason: "tool-calls" },
  });
  expect(await ask(adapter, { tools })).toMatchObject({ text: "Done", reasoning: "That was it." });
  const offered = [{ name: "read", description: "Reads.", parameters: schema }];
  expect(given).toEqual([
    ["Be brief.\n\nHi", offered],
    ["Be brief.\n\nHi", offered],
  ]);
  expect(await ask(adapter, { tools, toolChoice: "none" })).toMatchObject({ text: "plain" });
  expect(asked).toHaveLength(1);
});

test("a conversation is written out with who says what; bytes are not", async () => {
  const { adapter, asked } = adapterOf("Bye");
  const picture = {
    kind: "image",
    mediaType: "image/png",
    source: { kind: "data", base64: "AAAA" },
  } as const;
  await ask(adapter, {
    messages: [
      ...request.messages,
      {
        role: "assistant",
        content: [
          { kind: "reasoning", text: "hm" },
          { kind: "text", text: "Reading." },
          { kind: "tool-call", id: "a", name: "read", arguments: { path: "/a" } },
        ],
      },
      {
        role: "tool",
        content: [
          { kind: "tool-result", id: "a", name: "read", isError: false, content: [picture] },
          {
            kind: "tool-result",
            id: "b",
            name: "find",
            isError: true,
            content: [{ kind: "text", text: "nothing" }],
          },
        ],
      },
    ],
  });
  expect(asked[0]?.[0].split("\n\n")).toEqual([
    "Be brief.",
    "User: Hi",
    "Assistant: Reading.",
    'Assistant calls the tool read with {"path":"/a"}',
    "Result of the tool read: [image image/png]",
    "The tool find failed: nothing",
    "Assistant:",
  ]);
});

test("aborting rejects with the reason, also where the adapter ignores its signal", async () => {
  const controller = new AbortController();
  const { adapter } = adapterOf("", {
    generate: () => {
      controller.abort("enough");
      return new Promise(() => {});
    },
  });
  const asked = collect(fromTextAdapter(adapter).stream(request, controller));
  await expect(asked).rejects.toBe("enough");
});

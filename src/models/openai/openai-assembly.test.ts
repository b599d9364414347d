import { expect, test } from "vitest";
import { type ModelOutcome, outcomeOf } from "../../../test/model-events.ts";
import type { JsonObject } from "../../base/json.ts";
import { ChatAssembly } from "./openai-assembly.ts";

const delta = (fields: JsonObject, reason: string | null = null): JsonObject => ({
  model: "m-1",
  choices: [{ index: 0, delta: fields, finish_reason: reason }],
});

function outcome(chunks: readonly JsonObject[]): ModelOutcome {
  const assembly = new ChatAssembly("key");
  const events = chunks.flatMap((chunk) => assembly.accept(chunk));
  return outcomeOf([...events, ...assembly.end()]);
}

test("text is one part, with the finish reason, the usage and the model's name", () => {
  const usage = {
    prompt_tokens: 10,
    completion_tokens: 5,
    total_tokens: 15,
    prompt_tokens_details: { cached_tokens: 8 },
    completion_tokens_details: { reasoning_tokens: 2 },
  };
  const chunks = [
    { choices: [], prompt_filter_results: [] },
    delta({ role: "assistant", content: "" }),
    delta({ content: "Hel" }),
    delta({ content: "lo" }),
    delta({ content: null }, "stop"),
    { model: "m-1", choices: [], usage },
  ];
  expect(outcome(chunks)).toMatchObject({
    parts: [{ kind: "text", text: "Hello" }],
    finish: {
      reason: "stop",
      responseModel: "m-1",
      usage: { inputTokens: 10, outputTokens: 5, cachedInputTokens: 8, reasoningTokens: 2 },
    },
  });
});

test.each<readonly [given: JsonObject, usage: JsonObject]>([
  [
    { prompt_tokens: 3, completion_tokens: 2 },
    { inputTokens: 3, outputTokens: 2 },
  ],
  [
    { prompt_tokens: 3, completion_tokens: 2, total_tokens: 9 },
    { inputTokens: 3, outputTokens: 6 },
  ],
  [
    { prompt_tokens: 3, prompt_cache_hit_tokens: 2 },
    { inputTokens: 3, outputTokens: 0, cachedInputTokens: 2 },
  ],
  [
    { prompt_tokens: null, completion_tokens: "2" },
    { inputTokens: 0, outputTokens: 0 },
  ],
])("the usage %j counts as %j", (given, usage) => {
  const { finish } = outcome([{ ...delta({ content: "a" }, "stop"), usage: given }]);
  expect(finish?.usage).toEqual(usage);
});

test("usage that grows with each chunk counts once, as the last one has it", () => {
  const counted = (count: number, reason: string | null) => ({
    ...delta({ content: "a" }, reason),
    usage: { prompt_tokens: 1, completion_tokens: count },
  });
  const { finish } = outcome([counted(1, null), counted(2, null), counted(3, "stop")]);
  expect(finish?.usage).toEqual({ inputTokens: 1, outputTokens: 3 });
});

test.each(["reasoning_content", "reasoning"])(
  "%s is a part of its own that is closed before the text, and remembers its field",
  (field) => {
    const chunks = [
      delta({ [field]: "let me " }),
      delta({ [field]: "think" }),
      delta({ content: "Yes" }),
      delta({ [field]: "hm" }),
      delta({ content: "." }, "stop"),
    ];
    const providerData = { key: { field } };
    const { parts } = outcome(chunks);
    expect(parts).toMatchObject([
      { kind: "reasoning", text: "let me think", providerData },
      { kind: "text", text: "Yes" },
      { kind: "reasoning", text: "hm", providerData },
      { kind: "text", text: "." },
    ]);
  },
);

test("reasoning that stands in both fields is taken once", () => {
  const { reasoning } = outcome([delta({ reasoning_content: "hm", reasoning: "hm" }, "stop")]);
  expect(reasoning).toBe("hm");
});

test("signed blocks of reasoning are joined as they were before they were streamed", () => {
  const block = (fields: JsonObject) =>
    delta({ reasoning_details: [{ type: "reasoning.text", index: 0, ...fields }] });
  const encrypted = { type: "reasoning.encrypted", data: "e1", index: 1 };
  const { parts } = outcome([
    block({ text: "let ", format: "f" }),
    block({ text: "me", signature: null }),
    block({ signature: "s1" }),
    delta({ tool_calls: [{ index: 0, id: "a", function: { name: "now", arguments: "{}" } }] }),
    delta({ reasoning_details: [encrypted, { ...encrypted, data: "e2" }] }, "tool_calls"),
  ]);
  expect(parts).toMatchObject([
    {
      text: "let me",
      providerData: {
        key: {
          reasoning_details: [
            { type: "reasoning.text", index: 0, text: "let me", format: "f", signature: "s1" },
          ],
        },
      },
    },
    { kind: "tool-call" },
    {
      text: "",
      providerData: { key: { reasoning_details: [encrypted, { ...encrypted, data: "e2" }] } },
    },
  ]);
});

test("the signature of a text stays with it, also where it comes alone", () => {
  const extra_content = { google: { thought_signature: "s1" } };
  const { parts } = outcome([
    delta({ content: "Yes" }),
    delta({ content: "", extra_content }, "stop"),
  ]);
  expect(parts).toMatchObject([
    { kind: "text", text: "Yes", providerData: { key: { extra_content } } },
  ]);
});

test("what Google marks as a thought is reasoning, without its tags", () => {
  const extra_content = { google: { thought: true } };
  const { reasoning, text } = outcome([
    delta({ content: "<thought>hm", extra_content }),
    delta({ content: "m</thought>", extra_content }),
    delta({ content: "Yes" }, "stop"),
  ]);
  expect({ reasoning, text }).toEqual({ reasoning: "hmm", text: "Yes" });
});

test("content in parts is read as text and reasoning", () => {
  const content = [
    { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
    { type: "text", text: "Yes" },
    { type: "hologram" },
    null,
  ];
  const { reasoning, text } = outcome([delta({ content }, "stop")]);
  expect({ reasoning, text }).toEqual({ reasoning: "hm", text: "Yes" });
});

test("a refusal is text, and the reason is content-filter", () => {
  const { text, finish } = outcome([delta({ refusal: "I " }), delta({ refusal: "won't" }, "stop")]);
  expect({ text, reason: finish?.reason }).toEqual({ text: "I won't", reason: "content-filter" });
});

const call = { tool_calls: [{ index: 0, id: "a", function: { name: "now", arguments: "{}" } }] };

test.each<readonly [reason: string | null, fields: JsonObject, expected: string]>([
  ["stop", { content: "a" }, "stop"],
  ["length", { content: "a" }, "length"],
  ["content_filter", { content: "a" }, "content-filter"],
  ["eos", { content: "a" }, "other"],
  [null, { content: "a" }, "stop"],
  ["", { content: "a" }, "stop"],
  ["tool_calls", call, "tool-calls"],
  ["stop", call, "tool-calls"],
  [null, call, "tool-calls"],
  ["function_call", call, "tool-calls"],
  ["length", call, "length"],
  ["stop", { content: "a", tool_calls: [] }, "stop"],
  ["stop", { content: "a", tool_calls: [{ index: 0 }] }, "stop"],
])("the finish reason %j of %j is %s", (reason, fields, expected) => {
  expect(outcome([delta(fields, reason)]).finish?.reason).toBe(expected);
});

test("text, calls, and text again are parts in their order", () => {
  const { parts } = outcome([
    delta({ content: "Look:" }),
    delta(call),
    delta({ content: "done" }, "tool_calls"),
  ]);
  expect(parts.map(({ kind, text }) => [kind, text])).toEqual([
    ["text", "Look:"],
    ["tool-call", "{}"],
    ["text", "done"],
  ]);
});

test("choices other than the first are passed over", () => {
  const other = { index: 1, delta: { content: "other" }, finish_reason: "length" };
  const { text, finish } = outcome([
    { choices: [other] },
    { choices: [other, { index: 0, delta: { content: "first" }, finish_reason: "stop" }] },
  ]);
  expect({ text, reason: finish?.reason }).toEqual({ text: "first", reason: "stop" });
});

import { expect, test, vi } from "vitest";
import { outcomeOf } from "../../../test/model-events.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { ToolNetworkError } from "../../base/tool-error.ts";
import { ModelError } from "../../model/model-error.ts";
import type { ModelEvent } from "../../model/model-event.ts";
import { readAnswer } from "../provider/provider-answer.ts";
import { chatAnswers } from "./openai-answer.ts";

const scope = {
  what: 'model "m" at http://peer',
  secrets: ["sk-secret"],
};

interface Answer {
  readonly type?: string;
  /** Thrown after the body. */
  readonly failure?: unknown;
}

async function read(
  pieces: readonly (string | Uint8Array)[],
  answer: Answer = {},
): Promise<{ readonly events: readonly ModelEvent[]; readonly error: unknown }> {
  const { type = "text/event-stream", failure } = answer;
  const response = {
    headers: { "content-type": type },
    body: (async function* () {
      for (const piece of pieces) {
        yield typeof piece === "string" ? new TextEncoder().encode(piece) : piece;
      }
      if (failure !== undefined) {
        throw failure;
      }
    })(),
    text: async () => pieces.join(""),
    cancel: () => {},
  };
  const events: ModelEvent[] = [];
  let error: unknown;
  try {
    for await (const batch of readAnswer(response, chatAnswers("key"), true, scope)) {
      events.push(...batch);
    }
  } catch (thrown) {
    error = thrown;
  }
  return { events, error };
}

const line = (chunk: Json): string => `data: ${JSON.stringify(chunk)}\n\n`;

const delta = (fields: JsonObject, reason: string | null = null): JsonObject => ({
  model: "m-1",
  choices: [{ index: 0, delta: fields, finish_reason: reason }],
});

const stop = line(delta({}, "stop"));
const done = "data: [DONE]\n\n";

const call = { tool_calls: [{ index: 0, id: "a", function: { name: "now", arguments: "{}" } }] };

const parallel = [
  ": keep-alive\n\n",
  line(delta({ role: "assistant", content: "北京 🌍" })),
  line(delta({ tool_calls: [{ index: 0, id: "a", function: { name: "read", arguments: "" } }] })),
  line(delta({ tool_calls: [{ index: 0, function: { arguments: '{"p":"🌍' } }] })),
  line(delta({ tool_calls: [{ index: 1, id: "b", function: { name: "find", arguments: "" } }] })),
  line(delta({ tool_calls: [{ index: 1, function: { arguments: '{"q":' } }] })),
  line(delta({ tool_calls: [{ index: 0, function: { arguments: '"}' } }] })),
  line(delta({ tool_calls: [{ index: 1, function: { arguments: "2}" } }] })),
  line(delta({}, "tool_calls")),
  line({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } }),
  done,
].join("");

test("a stream may be cut at any byte", async () => {
  const bytes = new TextEncoder().encode(parallel);
  const whole = (await read([bytes])).events;
  expect(outcomeOf(whole).calls).toEqual([
    ["read", '{"p":"🌍"}'],
    ["find", '{"q":2}'],
  ]);
  for (let cut = 1; cut < bytes.length; cut += 1) {
    const { events, error } = await read([bytes.subarray(0, cut), bytes.subarray(cut)]);
    expect(error).toBeUndefined();
    expect(events).toEqual(whole);
  }
  const single = await read([...bytes].map((byte) => Uint8Array.of(byte)));
  expect(single.events).toEqual(whole);
});

const part = line(delta({ content: "Hel" }));

test.each<readonly [name: string, body: string]>([
  ["after some text", part],
  ["in the middle of a chunk", `${part}data: {"choices":[{"delta":{"con`],
  ["after complete arguments", line(delta(call))],
  ["before anything", ""],
  ["after a comment", ": hello\n\n"],
])(
  "a stream that ends %s without a word is an invalid response that may be tried again",
  async (_name, body) => {
    const { error } = await read([body]);
    expect(error).toMatchObject({ code: "model-invalid-response", retryable: true });
  },
);

test("a stream that breaks off passes on why, after what has come", async () => {
  const failure = new ToolNetworkError("the connection broke");
  const { events, error } = await read([part], { failure });
  expect(error).toBe(failure);
  expect(events.at(-1)).toMatchObject({ kind: "text-delta", text: "Hel" });
});

test.each([
  ["after the finish reason", [part, stop]],
  ["after [DONE]", [part, done]],
])("a stream that breaks off %s is whole", async (_name, pieces) => {
  const { events, error } = await read(pieces, { failure: new ToolNetworkError("broke") });
  expect(error).toBeUndefined();
  expect(outcomeOf(events)).toMatchObject({ text: "Hel", finish: { reason: "stop" } });
});

test("a failure of our own is never taken for an end", async () => {
  const failure = new TypeError("a mistake");
  expect(await read([part, stop], { failure })).toMatchObject({ error: failure });
});

test("a stream without [DONE] is whole once it has a finish reason", async () => {
  const { events, error } = await read([part, stop]);
  expect(error).toBeUndefined();
  expect(outcomeOf(events)).toMatchObject({ text: "Hel", finish: { reason: "stop" } });
});

test("[DONE] without any answer is an invalid response", async () => {
  expect((await read([done])).error).toMatchObject({ code: "model-invalid-response" });
});

test("no timer outlives an answer", async () => {
  vi.useFakeTimers();
  try {
    await read([part, stop, done]);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("what follows [DONE] is ignored", async () => {
  const { events } = await read([part + done + part, part]);
  expect(outcomeOf(events).text).toBe("Hel");
});

test.each<readonly [body: string, expected: object]>([
  [
    line({ error: { message: "boom", type: "server_error" } }),
    { code: "model-unavailable", retryable: true },
  ],
  [
    line({ error: { message: "boom", code: 429 } }),
    { code: "model-rate-limited", retryable: true, status: 429 },
  ],
  [
    line({ error: { message: "boom", code: "insufficient_quota" } }),
    { code: "model-rate-limited", retryable: false },
  ],
  [
    line({ error: { message: "boom", type: "rate_limit_error" } }),
    { code: "model-rate-limited", retryable: true },
  ],
  [
    line({ error: { message: "boom", type: "invalid_request_error" } }),
    { code: "model-refused", retryable: false },
  ],
  [
    line({ error: { message: "boom", type: "authentication_error" } }),
    { code: "model-unauthorized" },
  ],
  [line({ error: "boom" }), { code: "model-unavailable", retryable: true }],
  [line({ object: "error", message: "boom", code: 400 }), { code: "model-refused", status: 400 }],
  [line({ type: "error", error: { message: "boom" } }), { code: "model-unavailable" }],
  [line([{ error: { message: "boom", code: 503 } }]), { code: "model-unavailable", status: 503 }],
  [
    line({
      choices: [{ index: 0, error: { message: "boom", code: 502 }, finish_reason: "error" }],
    }),
    { code: "model-unavailable", status: 502 },
  ],
  ['event: error\ndata: {"message":"boom"}\n\n', { code: "model-unavailable" }],
  ["event: error\ndata: boom\n\n", { code: "model-unavailable" }],
])("the error %j in the middle of a stream is a ModelError", async (body, expected) => {
  const { events, error } = await read([part + body + stop + done]);
  expect(error).toBeInstanceOf(ModelError);
  expect(error).toMatchObject({ message: expect.stringContaining("boom"), ...expected });
  expect(events.map(({ kind }) => kind)).toEqual(["text-start", "text-delta"]);
});

test("a chunk whose error is null is no error", async () => {
  const { events } = await read([line({ ...delta({ content: "a" }, "stop"), error: null })]);
  expect(outcomeOf(events).text).toBe("a");
});

test.each(["data: hello\n\n", "data: 42\n\n", "data: null\n\n", 'data: {"choices":\n\n'])(
  "%j in a stream is an invalid response",
  async (body) => {
    const { error } = await read([part + body]);
    expect(error).toMatchObject({ code: "model-invalid-response", retryable: false });
  },
);

test("an answer that is not streamed is read whole, with its calls", async () => {
  const message = {
    role: "assistant",
    content: "Look:",
    reasoning_content: "hm",
    tool_calls: [
      { id: "a", type: "function", function: { name: "read", arguments: '{"x":1}' } },
      { type: "function", function: { name: "read", arguments: { y: 2 } } },
    ],
  };
  const body = { model: "m-1", choices: [{ index: 0, message, finish_reason: "stop" }] };
  const { events, error } = await read([JSON.stringify(body)], { type: "application/json" });
  expect(error).toBeUndefined();
  expect(outcomeOf(events)).toMatchObject({
    reasoning: "hm",
    text: "Look:",
    calls: [
      ["read", '{"x":1}'],
      ["read", '{"y":2}'],
    ],
    finish: { reason: "tool-calls", responseModel: "m-1" },
  });
});

test.each<readonly [type: string, body: string, expected: object]>([
  ["application/json", '{"error":{"message":"boom","code":429}}', { code: "model-rate-limited" }],
  ["application/json", '[{"error":{"message":"boom","code":400}}]', { code: "model-refused" }],
  ["application/json", '{"object":"list","data":["boom"]}', { code: "model-invalid-response" }],
  ["application/json", '{"choices":[],"note":"boom"}', { code: "model-invalid-response" }],
  [
    "application/json",
    '{"choices":[{"message":{"content":"boom',
    { code: "model-invalid-response" },
  ],
  ["application/json", '"boom"', { code: "model-invalid-response" }],
  [
    "text/html; charset=utf-8",
    "<!DOCTYPE html><title>boom</title>",
    { code: "model-invalid-response" },
  ],
])("an answer of type %s that says %s is a ModelError", async (type, body, expected) => {
  const { error } = await read([body], { type });
  expect(error).toBeInstanceOf(ModelError);
  expect(error).toMatchObject({ message: expect.stringContaining("boom"), ...expected });
});

test.each(["data: sk-secret\n\n", line({ error: { message: "bad key sk-secret" } })])(
  "a secret in %j is in no message",
  async (body) => {
    const { error } = await read([body]);
    expect(error).toMatchObject({ message: expect.stringContaining("[redacted]") });
    expect(`${error}${(error as Error).stack}`).not.toContain("sk-secret");
  },
);

import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { startTcp } from "../../../test/loopback.ts";
import { collect, type ModelOutcome, outcomeOf } from "../../../test/model-events.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { ToolTimeoutError } from "../../base/tool-error.ts";
import type { Message } from "../../message/message.ts";
import type { Model, ModelRequest } from "../../model/model.ts";
import { ModelError } from "../../model/model-error.ts";
import type { ModelEvent } from "../../model/model-event.ts";
import type {
  ModelServer,
  ModelServerOptions,
  ServerHttpReply,
  ServerReply,
} from "../../testing/model-server.ts";
import { startOpenAiServer } from "../../testing/openai-server.ts";
import { openAiCompatible } from "./openai-compatible.ts";
import type { OpenAiCompatibleOptions } from "./openai-options.ts";

const user = (text: string): Message => ({ role: "user", content: [{ kind: "text", text }] });
const request: ModelRequest = {
  messages: [user("Hi")],
  tools: [{ name: "read", description: "Reads.", inputSchema: { $schema: "s", type: "object" } }],
};

const { signal } = new AbortController();

const ask = (model: Model, asked: ModelRequest = request): Promise<readonly ModelEvent[]> =>
  collect(model.stream(asked, { signal }));

const modelOf = (
  { baseUrl }: Pick<ModelServer, "baseUrl">,
  options: Partial<OpenAiCompatibleOptions> = {},
): Model => openAiCompatible({ id: "test:m", model: "m", baseUrl, ...options });

const replying = (
  reply: ServerReply,
  options: Partial<ModelServerOptions> = {},
): Promise<ModelServer> => startOpenAiServer({ respond: () => reply, ...options });

const answer = {
  kind: "answer",
  reasoning: "let me think",
  text: "Ich lese 北京 🌍.",
  calls: [
    { id: "a", name: "read", arguments: '{"path":"/北京"}' },
    { id: "b", name: "read", arguments: '{"path":"/🌍"}' },
  ],
  usage: { prompt_tokens: 7, completion_tokens: 9 },
} as const;

const outcome = {
  reasoning: answer.reasoning,
  text: answer.text,
  calls: answer.calls.map(({ name, arguments: text }) => [name, text]),
  finish: { reason: "tool-calls", usage: { inputTokens: 7, outputTokens: 9 }, responseModel: "m" },
};

test.each<readonly [name: string, server: Partial<ModelServerOptions>, stream: boolean]>([
  ["streamed", {}, true],
  ["whole", {}, false],
  ["streamed byte by byte", { bytesPerWrite: 1 }, true],
  ["streamed under gzip", { gzip: true }, true],
  ["streamed under gzip in small pieces", { gzip: true, bytesPerWrite: 7 }, true],
])("an answer that comes %s gives the same events", async (_name, options, stream) => {
  await using server = await replying(answer, options);
  const events = await ask(modelOf(server, { stream }));
  expect(outcomeOf(events)).toMatchObject(outcome);
});

const kept = (part: ModelOutcome["parts"][number] | undefined) =>
  part?.providerData === undefined ? {} : { providerData: part.providerData };

test("a conversation goes on with calls, results and what the provider wants back", async () => {
  const extra_content = { google: { thought_signature: "s1" } };
  const call = { index: 0, id: "a", function: { name: "read", arguments: "{}" }, extra_content };
  const delta = { reasoning_content: "hm", tool_calls: [call] };
  await using server = await startOpenAiServer({
    respond: (_request, index) =>
      index > 0
        ? "Done"
        : { kind: "stream", chunks: [{ choices: [{ delta, finish_reason: "stop" }] }] },
  });
  const model = modelOf(server);
  const [reasoning, made] = outcomeOf(await ask(model)).parts;
  const history: readonly Message[] = [
    user("Hi"),
    {
      role: "assistant",
      content: [
        { kind: "reasoning", text: "hm", ...kept(reasoning) },
        {
          kind: "tool-call",
          id: "a",
          name: "read",
          arguments: {},
          malformedArguments: "{",
          ...kept(made),
        },
      ],
    },
    {
      role: "tool",
      content: [{ kind: "tool-result", id: "a", name: "read", isError: false, content: [] }],
    },
  ];
  expect(outcomeOf(await ask(model, { ...request, messages: history })).text).toBe("Done");
  expect(server.requests[1]?.body["messages"]).toMatchObject([
    { role: "user" },
    {
      reasoning_content: "hm",
      tool_calls: [{ id: "a", function: { arguments: "{}" }, extra_content }],
    },
    { role: "tool", tool_call_id: "a" },
  ]);
  expect(server.connections).toBe(1);
});

test("a history whose call has no result is refused, which the caller learns", async () => {
  await using server = await replying("never");
  const content = [{ kind: "tool-call", id: "a", name: "read", arguments: {} }] as const;
  await expect(
    ask(modelOf(server), { ...request, messages: [{ role: "assistant", content }] }),
  ).rejects.toMatchObject({
    code: "model-refused",
    status: 400,
    message: expect.stringContaining("the calls a have no result"),
  });
});

test("a key that cannot be had is model-unauthorized", async () => {
  const apiKey = (): string => {
    throw new Error("vault sk-secret is shut");
  };
  const asked = ask(modelOf({ baseUrl: "http://127.0.0.1:1/v1" }, { apiKey }));
  await expect(asked).rejects.toMatchObject({
    code: "model-unauthorized",
    message: expect.not.stringContaining("sk-secret"),
  });
});

const http = (status: number, body: Json | string, headers: JsonObject = {}): ServerHttpReply => ({
  kind: "http",
  status,
  headers: { "content-type": "application/json", ...(headers as Record<string, string>) }, // plain texts
  body: typeof body === "string" ? body : JSON.stringify(body),
});

const key = "sk-very-secret-key";

test.each<readonly [status: number, headers: JsonObject, expected: object]>([
  [400, {}, { code: "model-refused", retryable: false }],
  [401, {}, { code: "model-unauthorized", retryable: false }],
  [403, {}, { code: "model-unauthorized", retryable: false }],
  [404, {}, { code: "model-not-found", retryable: false }],
  [413, {}, { code: "model-refused", retryable: false }],
  [422, {}, { code: "model-refused", retryable: false }],
  [
    429,
    { "retry-after": "2" },
    { code: "model-rate-limited", retryable: true, retryAfterMs: 2_000 },
  ],
  [429, { "retry-after-ms": "20" }, { code: "model-rate-limited", retryAfterMs: 20 }],
  [500, {}, { code: "model-unavailable", retryable: true }],
  [
    503,
    { "retry-after": "1" },
    { code: "model-unavailable", retryable: true, retryAfterMs: 1_000 },
  ],
])(
  "HTTP %i with %j is a ModelError that says what the provider says, without the key",
  async (status, headers, expected) => {
    await using server = await replying(
      http(status, { error: { message: `boom ${key}` } }, headers),
    );
    const error = await ask(modelOf(server, { apiKey: key })).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({
      status,
      message: expect.stringContaining("boom [redacted]"),
      ...expected,
    });
    expect(`${(error as Error).stack}${JSON.stringify(error)}`).not.toContain(key);
  },
);

test("values of headers and of the URL's query are in no message either", async () => {
  await using server = await replying({
    kind: "http",
    status: 400,
    body: "no: token-abc, query-abc, p%40ss",
  });
  const baseUrl = `${server.baseUrl.replace("//", "//user:p%40ss@")}?key=query-abc`;
  const asked = ask(modelOf({ baseUrl }, { headers: { "x-token": "token-abc" } }));
  await expect(asked).rejects.toThrow(/no: \[redacted\], \[redacted\], \[redacted\]/);
  await expect(asked).rejects.not.toThrow(/abc|p%40ss|p@ss/);
});

test("an error body under gzip is readable, and one without end is not read to it", async () => {
  const body = gzipSync(JSON.stringify({ error: { message: "boom" } }));
  await using zipped = await replying({
    kind: "http",
    status: 500,
    headers: { "content-encoding": "gzip" },
    body,
  });
  await expect(ask(modelOf(zipped))).rejects.toThrow("boom");
  await using long = await replying(http(500, `<html>boom${"<p>x</p>".repeat(4_000_000)}`));
  await expect(ask(modelOf(long))).rejects.toThrow(/boom x x/);
  await long.requests[0]?.aborted;
});

test.each([
  ["text/html", "<!DOCTYPE html><title>Welcome</title>", /Welcome.*\n.*base URL/],
  ["application/json", '{"choices":', /base URL/],
])(
  "an answer of success of type %s that is no completion is model-invalid-response",
  async (type, body, message) => {
    await using server = await replying(http(200, body, { "content-type": type }));
    const asked = ask(modelOf(server));
    await expect(asked).rejects.toMatchObject({
      code: "model-invalid-response",
      message: expect.stringMatching(message),
    });
  },
);

test("a server that streams, or does not, against what it was asked is understood", async () => {
  const message = { role: "assistant", content: "Hello" };
  await using whole = await replying(http(200, { choices: [{ message, finish_reason: "stop" }] }));
  expect(outcomeOf(await ask(modelOf(whole))).text).toBe("Hello");
  const chunks = [{ choices: [{ delta: message, finish_reason: "stop" }] }];
  await using streaming = await replying({ kind: "stream", chunks });
  expect(outcomeOf(await ask(modelOf(streaming, { stream: false }))).text).toBe("Hello");
});

const hello = { choices: [{ index: 0, delta: { content: "Hello" } }] };

test("a connection that breaks in the middle is model-unreachable and may be tried again", async () => {
  await using server = await replying({ kind: "stream", chunks: [hello], end: "broken" });
  const events: ModelEvent[] = [];
  const read = async (): Promise<void> => {
    for await (const event of modelOf(server).stream(request, { signal })) {
      events.push(event);
    }
  };
  await expect(read()).rejects.toMatchObject({ code: "model-unreachable", retryable: true });
  expect(events).toContainEqual(expect.objectContaining({ text: "Hello" }));
  expect(events).not.toContainEqual(expect.objectContaining({ kind: "finish" }));
});

test("a stream that ends in the middle is model-invalid-response", async () => {
  await using server = await replying({ kind: "stream", chunks: [hello], end: "silent" });
  await expect(ask(modelOf(server))).rejects.toMatchObject({
    code: "model-invalid-response",
    retryable: true,
  });
});

test("an error object in the middle of a stream is a ModelError", async () => {
  const chunks = [hello, { error: { message: "boom", code: 503 } }];
  await using server = await replying({ kind: "stream", chunks });
  await expect(ask(modelOf(server))).rejects.toMatchObject({
    code: "model-unavailable",
    status: 503,
  });
});

test("nothing that listens is model-unreachable", async () => {
  const server = await replying("never");
  await server[Symbol.asyncDispose]();
  await expect(ask(modelOf(server))).rejects.toMatchObject({
    code: "model-unreachable",
    retryable: true,
  });
});

test("a server that is silent for too long is model-timeout", async () => {
  await using server = await startTcp(() => {});
  const model = modelOf({ baseUrl: server.origin }, { readTimeoutMs: 20 });
  await expect(ask(model)).rejects.toMatchObject({ code: "model-timeout", retryable: true });
});

test("an answer that is too long is model-invalid-response", async () => {
  await using server = await replying("Hello");
  const asked = ask(modelOf(server, { maxResponseBytes: 100 }));
  await expect(asked).rejects.toMatchObject({ code: "model-invalid-response", retryable: false });
});

/** A stream that says hello and then nothing. */
const hanging = (): Promise<ModelServer> =>
  replying({
    kind: "stream",
    chunks: (async function* () {
      yield hello;
      await new Promise(() => {});
    })(),
  });

test("aborting rejects with the reason and closes the connection, at any point", async () => {
  const before = new AbortController();
  before.abort("before");
  await using server = await hanging();
  await expect(collect(modelOf(server).stream(request, before))).rejects.toBe("before");
  expect(server.requests).toHaveLength(0);

  const deadline = new ToolTimeoutError("the run's deadline"); // no failure of the model
  const during = new AbortController();
  const stream = modelOf(server).stream(request, during)[Symbol.asyncIterator]();
  await stream.next();
  await stream.next();
  const next = stream.next();
  during.abort(deadline);
  await expect(next).rejects.toBe(deadline);
  await server.requests[0]?.aborted;
});

test("aborting before the head of the answer rejects and closes as well", async () => {
  const controller = new AbortController();
  await using server = await startOpenAiServer({
    respond: async ({ aborted }) => {
      controller.abort("early");
      await aborted;
      return "never";
    },
  });
  await expect(collect(modelOf(server).stream(request, controller))).rejects.toBe("early");
  await server.requests[0]?.aborted;
});

test("aborting while the key is asked for rejects with the reason", async () => {
  const controller = new AbortController();
  const apiKey = (): Promise<string> => {
    controller.abort("asked");
    return new Promise(() => {});
  };
  const model = modelOf({ baseUrl: "http://127.0.0.1:1/v1" }, { apiKey });
  await expect(collect(model.stream(request, controller))).rejects.toBe("asked");
});

test("leaving the loop closes the connection", async () => {
  await using server = await hanging();
  for await (const event of modelOf(server).stream(request, { signal })) {
    expect(event.kind).toBe("text-start");
    break;
  }
  await server.requests[0]?.aborted;
});

test("events come as soon as the server sends them", async () => {
  const released = Promise.withResolvers<void>();
  await using server = await replying({
    kind: "stream",
    chunks: (async function* () {
      yield hello;
      await released.promise;
      yield { choices: [{ delta: { content: "!" }, finish_reason: "stop" }] };
    })(),
  });
  const stream = modelOf(server).stream(request, { signal })[Symbol.asyncIterator]();
  await stream.next();
  expect((await stream.next()).value).toMatchObject({ text: "Hello" });
  released.resolve();
  expect((await stream.next()).value).toMatchObject({ text: "!" });
});

test("a connection is used again, also by a reader that stops at the finish event", async () => {
  await using server = await replying("Hello");
  const model = modelOf(server);
  for (let turn = 0; turn < 3; turn += 1) {
    for await (const event of model.stream(request, { signal })) {
      if (event.kind === "finish") {
        break;
      }
    }
  }
  expect(server.requests).toHaveLength(3);
  expect(server.connections).toBe(1);
});

test("a server that never ends the body after [DONE] does not hold the answer", async () => {
  await using server = await replying({ kind: "stream", chunks: [hello], end: "open" });
  expect(outcomeOf(await ask(modelOf(server)))).toMatchObject({
    text: "Hello",
    finish: { reason: "stop" },
  });
  await server.requests[0]?.aborted;
});

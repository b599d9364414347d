import { expect, test } from "vitest";
import type { Model, ModelRequest } from "../../src/model/model.ts";
import type { ModelEvent } from "../../src/model/model-event.ts";
import type { ModelServerOptions, ServerReply } from "../../src/testing/model-server.ts";
import { collect, type ModelOutcome, outcomeOf } from "../model-events.ts";
import type { Provider } from "./provider.ts";

/** A request that offers one tool. */
export const request: ModelRequest = {
  messages: [{ role: "user", content: [{ kind: "text", text: "Hi" }] }],
  tools: [
    {
      name: "read",
      description: "Reads a file.",
      inputSchema: {
        $schema: "http://json-schema.org/draft-07/schema#",
        type: "object",
        properties: { path: { type: "string", minLength: 1 } },
      },
    },
  ],
};

/** Never aborts. */
export const signal: AbortSignal = new AbortController().signal;

/** All events of one request. */
export const ask = (model: Model, asked: ModelRequest = request): Promise<readonly ModelEvent[]> =>
  collect(model.stream(asked, { signal }));

/** What a model's answer adds up to, of a server that replies so. */
export async function answered(
  provider: Provider,
  reply: ServerReply,
  options: Partial<ModelServerOptions> & { readonly stream?: boolean } = {},
): Promise<ModelOutcome> {
  const { stream = true, ...serverOptions } = options;
  await using server = await provider.start({ respond: () => reply, ...serverOptions });
  return outcomeOf(await ask(provider.make(server.baseUrl, { stream })));
}

const answer = {
  kind: "answer",
  reasoning: "let me think 💭",
  text: "Ich lese 北京 🌍.",
  calls: [
    { id: "a", name: "read", arguments: '{"path":"/北京"}', signature: "sig-c" },
    { id: "b", name: "read", arguments: '{"path":"/🌍"}' },
  ],
} as const;

const outcome = {
  reasoning: answer.reasoning,
  text: answer.text,
  calls: answer.calls.map(({ name, arguments: text }) => [name, text]),
  finish: { reason: "tool-calls" },
};

/** Answers in every form give the same events. */
export function answerCases(provider: Provider): void {
  test.each<readonly [name: string, options: Partial<ModelServerOptions> & { stream?: boolean }]>([
    ["streamed", {}],
    ["whole", { stream: false }],
    ["streamed byte by byte", { bytesPerWrite: 1 }],
    ["streamed in pieces of three bytes", { bytesPerWrite: 3 }],
    ["streamed under gzip", { gzip: true }],
    ["streamed under gzip in small pieces", { gzip: true, bytesPerWrite: 7 }],
  ])("thoughts, a text and parallel calls come the same when %s", async (_name, options) => {
    expect(await answered(provider, answer, options)).toMatchObject(outcome);
  });

  test("each call has an id of its own", async () => {
    const { parts } = await answered(provider, answer);
    const ids = parts.filter(({ kind }) => kind === "tool-call").map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
  });

  test("a text alone ends with the reason stop", async () => {
    expect(await answered(provider, "Hello there")).toMatchObject({
      text: "Hello there",
      reasoning: "",
      calls: [],
      finish: { reason: "stop", usage: { inputTokens: 1, outputTokens: 1 } },
    });
  });

  test("a call alone, without arguments, is a call with an empty object", async () => {
    const calls = [{ id: "a", name: "read", arguments: "{}" }];
    const { calls: made, finish } = await answered(provider, { kind: "answer", calls });
    expect(made.map(([name, text]) => [name, JSON.parse(text || "{}")])).toEqual([["read", {}]]);
    expect(finish?.reason).toBe("tool-calls");
  });

  test("an answer that is cut off says so, also where it holds a call", async () => {
    const { length: finishReason } = provider.words;
    const cut = { kind: "answer", text: "Hel", finishReason } as const;
    expect((await answered(provider, cut)).finish?.reason).toBe("length");
    const { calls } = answer;
    expect((await answered(provider, { ...cut, calls })).finish?.reason).toBe("length");
  });

  const { filtered } = provider.words;
  test.skipIf(filtered === undefined)("an answer that the provider stops says so", async () => {
    const stopped = { kind: "answer", text: "Hel", finishReason: `${filtered}` } as const;
    expect((await answered(provider, stopped)).finish?.reason).toBe("content-filter");
  });

  test("tokens are counted, with those of the cache and of thoughts", async () => {
    const [usage, told] = provider.usage;
    const counted = await answered(provider, { kind: "answer", text: "Hello", usage });
    expect(counted.finish?.usage).toEqual(told);
  });

  test.skipIf(provider.isBridge)("the model is named as the provider names it", async () => {
    expect((await answered(provider, "Hello")).finish?.responseModel).toMatch(
      /^(?:m|gemini-.+|claude-.+)$/,
    );
  });

  test.skipIf(provider.isBridge || provider.name === "Ollama")(
    "an answer has the id that the provider gave it",
    async () => {
      const { finish } = await answered(provider, "Hello");
      expect(finish?.responseId).toMatch(/^(?:chatcmpl|msg|resp)[-_]?\w+$/);
    },
  );

  test.skipIf(provider.isBridge)(
    "a chunk that holds what nobody knows yet changes nothing",
    async () => {
      const news = { type: "news", object: "news", news: [{ text: "x" }] };
      const chunks = [...provider.hello, news, ...provider.rest];
      expect(await answered(provider, { kind: "stream", chunks, end: "silent" })).toMatchObject({
        text: "Hello!",
        finish: { reason: "stop" },
      });
    },
  );
}

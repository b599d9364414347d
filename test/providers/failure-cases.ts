import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { JsonObject } from "../../src/base/json.ts";
import { ToolTimeoutError } from "../../src/base/tool-error.ts";
import { ModelError } from "../../src/model/model-error.ts";
import type { ModelEvent } from "../../src/model/model-event.ts";
import type { ModelServer, ServerReply } from "../../src/testing/model-server.ts";
import { failureOf } from "../failure-of.ts";
import { startTcp } from "../loopback.ts";
import { collect, outcomeOf } from "../model-events.ts";
import { answered, ask, request, signal } from "./answer-cases.ts";
import type { Provider } from "./provider.ts";

const key = "sk-very-secret-key";

/** What a provider refuses, and what breaks on the way, is a ModelError without a credential. */
export function statusCases(provider: Provider): void {
  test.each<readonly [status: number, headers: Record<string, string>, expected: JsonObject]>([
    [400, {}, { code: "model-refused", retryable: false }],
    [401, {}, { code: "model-unauthorized", retryable: false }],
    [404, {}, { code: "model-not-found", retryable: false }],
    [429, { "retry-after": "2" }, { code: "model-rate-limited", retryAfterMs: 2_000 }],
    [500, {}, { code: "model-unavailable", retryable: true }],
    [503, { "retry-after": "1" }, { code: "model-unavailable", retryAfterMs: 1_000 }],
    [529, {}, { code: "model-unavailable", retryable: true }],
  ])("HTTP %i with %j says what the provider says, without the key", async (...row) => {
    const [status, headers, expected] = row;
    const body = JSON.stringify(provider.errorBody(`boom ${key}`));
    const type = { "content-type": "application/json" };
    await using server = await replying(provider, {
      kind: "http",
      status,
      headers: { ...type, ...headers },
      body,
    });
    const error = await failureOf(ask(provider.make(server.baseUrl, { apiKey: key })));
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({
      status,
      message: expect.stringContaining("boom [redacted]"),
      ...expected,
    });
    expect(`${(error as Error).stack}${JSON.stringify(error)}`).not.toContain(key); // as just seen
    expect(JSON.stringify(server.requests[0]?.headers)).toContain(key);
  });

  test("an error body under gzip is readable", async () => {
    const body = gzipSync(JSON.stringify(provider.errorBody("boom")));
    const headers = { "content-encoding": "gzip", "content-type": "application/json" };
    const reply = { kind: "http", status: 500, headers, body } as const;
    await expect(answered(provider, reply)).rejects.toThrow("boom");
  });

  test("nothing that listens is unreachable", async () => {
    const server = await replying(provider, "never");
    await server[Symbol.asyncDispose]();
    await expect(ask(provider.make(server.baseUrl))).rejects.toMatchObject({
      code: "model-unreachable",
      retryable: true,
    });
  });

  test.skipIf(provider.isBridge)("a server that is silent for too long is a timeout", async () => {
    await using server = await startTcp(() => {});
    const model = provider.make(server.origin, { readTimeoutMs: 20 });
    await expect(ask(model)).rejects.toMatchObject({ code: "model-timeout", retryable: true });
  });
}

const replying = (provider: Provider, reply: ServerReply): Promise<ModelServer> =>
  provider.start({ respond: () => reply });

/** What is no answer, or none that is whole, is told as such. */
export function brokenAnswerCases(provider: Provider): void {
  test.each([
    ["text/html", "<!DOCTYPE html><title>Welcome</title>"],
    ["application/json", '{"something":"else"}'],
    ["application/json", '{"cut":'],
  ])("an answer of success of type %s that is %s is none", async (type, body) => {
    const reply = { kind: "http", headers: { "content-type": type }, body } as const;
    await expect(answered(provider, reply)).rejects.toMatchObject({
      code: "model-invalid-response",
      ...(provider.isBridge ? {} : { retryable: false }),
    });
  });

  test("a connection that breaks in the middle may be tried again", async () => {
    await using server = await replying(provider, {
      kind: "stream",
      chunks: provider.hello,
      end: "broken",
    });
    const events: ModelEvent[] = [];
    const read = async (): Promise<void> => {
      for await (const event of provider.make(server.baseUrl).stream(request, { signal })) {
        events.push(event);
      }
    };
    await expect(read()).rejects.toMatchObject({
      ...(provider.isBridge ? {} : { code: "model-unreachable" }),
      retryable: true,
    });
    expect(events).toContainEqual(expect.objectContaining({ text: "Hello" }));
    expect(events).not.toContainEqual(expect.objectContaining({ kind: "finish" }));
  });

  test("a stream that ends in the middle is no answer, and may be tried again", async () => {
    const reply = { kind: "stream", chunks: provider.hello, end: "silent" } as const;
    await expect(answered(provider, reply)).rejects.toMatchObject({
      code: "model-invalid-response",
      retryable: true,
    });
  });

  test("a line that is no JSON is no answer", async () => {
    const chunks = [...provider.hello, "data: {oops\n\n"];
    await expect(answered(provider, { kind: "stream", chunks })).rejects.toMatchObject({
      code: "model-invalid-response",
    });
  });

  test("a failure in the middle of a stream is told as one that may pass", async () => {
    const chunks = [...provider.hello, provider.failure];
    await expect(answered(provider, { kind: "stream", chunks })).rejects.toMatchObject({
      code: "model-unavailable",
      retryable: true,
      message: expect.stringContaining("boom"),
    });
  });

  test.skipIf(provider.isBridge)("an answer that is too long is refused", async () => {
    await using server = await replying(provider, "Hello".repeat(50));
    const asked = ask(provider.make(server.baseUrl, { maxResponseBytes: 100 }));
    await expect(asked).rejects.toMatchObject({ code: "model-invalid-response" });
  });
}

/** A server whose stream says hello and then nothing. */
const hanging = (provider: Provider): Promise<ModelServer> =>
  provider.start({
    respond: () => ({
      kind: "stream",
      chunks: (async function* () {
        yield* provider.hello;
        await new Promise(() => {});
      })(),
    }),
  });

/** Who wants no more of an answer. */
export function abortCases(provider: Provider): void {
  test("aborting rejects with the reason and closes the connection, at any point", async () => {
    const before = new AbortController();
    before.abort("before");
    await using server = await hanging(provider);
    const model = provider.make(server.baseUrl);
    await expect(collect(model.stream(request, before))).rejects.toBe("before");
    expect(server.requests).toHaveLength(0);

    const deadline = new ToolTimeoutError("the run's deadline"); // no failure of the model
    const during = new AbortController();
    const stream = model.stream(request, during)[Symbol.asyncIterator]();
    await stream.next();
    await stream.next();
    const next = stream.next();
    during.abort(deadline);
    await expect(next).rejects.toBe(deadline);
    await server.requests[0]?.aborted;
  });

  test("aborting before the head of the answer rejects and closes as well", async () => {
    const controller = new AbortController();
    await using server = await provider.start({
      respond: async ({ aborted }) => {
        controller.abort("early");
        await aborted;
        return "never";
      },
    });
    const asked = collect(provider.make(server.baseUrl).stream(request, controller));
    await expect(asked).rejects.toBe("early");
    await server.requests[0]?.aborted;
  });

  test("leaving the loop closes the connection", async () => {
    await using server = await hanging(provider);
    for await (const event of provider.make(server.baseUrl).stream(request, { signal })) {
      expect(event.kind).toBe("text-start");
      break;
    }
    await server.requests[0]?.aborted;
  });
}

/** Answers come at once, over connections that are kept. */
export function connectionCases(provider: Provider): void {
  test("events come as soon as the server sends them", async () => {
    const released = Promise.withResolvers<void>();
    await using server = await provider.start({
      respond: () => ({
        kind: "stream",
        chunks: (async function* () {
          yield* provider.hello;
          await released.promise;
          yield* provider.rest;
        })(),
        end: "silent",
      }),
    });
    const stream = provider
      .make(server.baseUrl)
      .stream(request, { signal })
      [Symbol.asyncIterator]();
    await stream.next();
    expect((await stream.next()).value).toMatchObject({ text: "Hello" });
    released.resolve();
    expect((await stream.next()).value).toMatchObject({ text: "!" });
  });

  test("a connection is used again, also by a reader that stops at the finish event", async () => {
    await using server = await provider.start({ respond: () => "Hello" });
    const model = provider.make(server.baseUrl);
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

  test("nothing of the answer is lost when the connection breaks after its end", async () => {
    const chunks = [...provider.hello, ...provider.rest];
    await using server = await provider.start({
      respond: () => ({ kind: "stream", chunks, end: "broken" }),
    });
    const outcome = outcomeOf(await ask(provider.make(server.baseUrl)));
    expect(outcome).toMatchObject({ text: "Hello!", finish: { reason: "stop" } });
  });
}

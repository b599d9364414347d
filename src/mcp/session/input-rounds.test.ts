import { expect, test } from "vitest";
import { failureOf } from "../../../test/failure-of.ts";
import type { Message } from "../../../test/fixtures/mcp/fake-server.ts";
import {
  clientFor,
  type PeerExchange,
  serveStateless,
  textResult,
} from "../../../test/fixtures/mcp/stateless-peer.ts";
import { manualClock } from "../../testing/manual-clock.ts";

const form = (message: string): Message => ({
  method: "elicitation/create",
  params: {
    message,
    requestedSchema: { type: "object", properties: { name: { type: "string", default: "Ann" } } },
  },
});

const wanting = (more: Message): Message => ({ resultType: "input_required", ...more });

test("what the server needs first is given, and the request sent once more with its own state", async () => {
  const state = '{"odd":"\\u00e9 text"}';
  const peer = await serveStateless({
    "tools/call": ({ params, result }) =>
      params["inputResponses"] === undefined
        ? result(
            wanting({
              requestState: state,
              inputRequests: {
                who: form("Who?"),
                say: {
                  method: "sampling/createMessage",
                  params: { messages: [], maxTokens: 5 },
                },
                where: { method: "roots/list" },
              },
            }),
          )
        : result(textResult(JSON.stringify(params["inputResponses"]))),
  });
  const client = await clientFor(peer, {
    onElicitation: () => ({ action: "accept" }),
    onSampling: () => ({ role: "assistant", content: { type: "text", text: "hi" }, model: "m" }),
    roots: () => [{ uri: "file:///work", name: "work" }],
  });
  const result = await client.callTool("echo", { a: 1 });
  const [{ text }] = result["content"] as [{ text: string }];
  expect(JSON.parse(text)).toEqual({
    who: { action: "accept", content: { name: "Ann" } },
    say: { role: "assistant", content: { type: "text", text: "hi" }, model: "m" },
    where: { roots: [{ uri: "file:///work", name: "work" }] },
  });
  const [first, second] = peer.received.slice(1);
  expect(second?.id).not.toBe(first?.id);
  expect(second?.params).toMatchObject({ name: "echo", arguments: { a: 1 }, requestState: state });
  expect(first?.params["_meta"]).toMatchObject({
    "io.modelcontextprotocol/clientCapabilities": {
      elicitation: { form: {}, url: {} },
      sampling: {},
      roots: {},
    },
  });
  await client.callTool("other");
  const unrelated = peer.received.at(-2);
  expect(unrelated?.params).not.toHaveProperty("requestState");
  expect(unrelated?.params).not.toHaveProperty("inputResponses");
});

test("without state from the server none is sent back, and state alone is enough", async () => {
  const calls: PeerExchange[] = [];
  const peer = await serveStateless({
    "resources/read": (call) => {
      calls.push(call);
      const rounds = [
        wanting({ inputRequests: { who: form("Who?") } }),
        wanting({ requestState: "s" }),
        { resultType: "complete", contents: [] },
      ];
      call.result(rounds[calls.length - 1] ?? {});
    },
  });
  const client = await clientFor(peer, { onElicitation: () => ({ action: "decline" }) });
  expect(await client.readResource("x:y")).toMatchObject({ contents: [] });
  const [, second, third] = calls;
  expect(second?.params).not.toHaveProperty("requestState");
  expect(second?.params).toMatchObject({ inputResponses: { who: { action: "decline" } } });
  expect(third?.params).toMatchObject({ requestState: "s" });
  expect(third?.params).not.toHaveProperty("inputResponses");
});

test("a server that never has enough is given up", async () => {
  const peer = await serveStateless({
    "tools/call": ({ result }) => result(wanting({ requestState: "again" })),
  });
  const client = await clientFor(peer);
  const error = await failureOf(client.callTool("echo"));
  expect(error).toMatchObject({
    code: "mcp-protocol",
    message: expect.stringContaining("more than 10 times"),
  });
});

test("what the application does not offer fails the call with words that say so", async () => {
  const peer = await serveStateless({
    "tools/call": ({ result }) => result(wanting({ inputRequests: { who: form("Who?") } })),
  });
  const client = await clientFor(peer);
  expect(await failureOf(client.callTool("echo"))).toMatchObject({
    code: "mcp-input-required",
    message: expect.stringContaining("needs an answer to elicitation/create"),
  });
  expect(peer.received).toHaveLength(2);
});

test("what a callback throws fails that call, and does not reach the server", async () => {
  const peer = await serveStateless({
    "tools/call": ({ result }) => result(wanting({ inputRequests: { who: form("Who?") } })),
  });
  const thrown = new Error("our secret");
  const onElicitation = (): never => {
    throw thrown;
  };
  const client = await clientFor(peer, { onElicitation });
  await expect(client.callTool("echo")).rejects.toBe(thrown);
  expect(peer.received).toHaveLength(2);
});

test("a call that is given up ends the question to the user, too", async () => {
  const peer = await serveStateless({
    "tools/call": ({ result }) => result(wanting({ inputRequests: { who: form("Who?") } })),
  });
  const asked = Promise.withResolvers<AbortSignal>();
  const client = await clientFor(peer, {
    onElicitation: (_form, { signal }) => {
      asked.resolve(signal);
      return new Promise(() => {});
    },
  });
  const controller = new AbortController();
  const reason = new Error("stop");
  const call = client.callTool("echo", {}, { signal: controller.signal });
  const signal = await asked.promise;
  controller.abort(reason);
  await expect(call).rejects.toBe(reason);
  expect(signal.aborted).toBe(true);
});

test("a user may take longer than the time limit of a call", async () => {
  const clock = manualClock();
  const peer = await serveStateless({
    "tools/call": ({ params, result }) =>
      result(
        params["inputResponses"] === undefined
          ? wanting({ inputRequests: { who: form("Who?") } })
          : textResult("ran"),
      ),
  });
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<{ readonly action: "accept" }>();
  const onElicitation = (): Promise<{ readonly action: "accept" }> => {
    asked.resolve();
    return answer.promise;
  };
  const client = await clientFor(peer, { clock, onElicitation }, { timeoutMs: 1000 });
  const call = client.callTool("echo");
  await asked.promise;
  clock.advance(3_600_000);
  answer.resolve({ action: "accept" });
  expect(await call).toMatchObject({ content: [{ text: "ran" }] });
});

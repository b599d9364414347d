import { once } from "node:events";
import { afterEach, expect, test } from "vitest";
import type { Message } from "../../../test/fixtures/mcp/fake-server.ts";
import {
  fakeStdio,
  referenceServer,
  runningChildren,
  startEverything,
} from "../../../test/fixtures/mcp/servers.ts";
import { bindingFor, callTool, keepNotices } from "../../../test/fixtures/mcp/tool-call.ts";
import { manualClock } from "../../testing/manual-clock.ts";
import type { McpTransport } from "../../tool/mcp-server-config.ts";
import { McpClient } from "../client/mcp-client.ts";
import type { McpClientOptions } from "../client/mcp-client-options.ts";
import { mcpToolset } from "../toolset/mcp-toolset.ts";
import type { Elicitation } from "./server-callbacks.ts";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()));
  expect(runningChildren()).toEqual([]);
});

async function connect(
  transport: McpTransport,
  options: McpClientOptions = {},
  timeoutMs = 10_000,
): Promise<McpClient> {
  const client = new McpClient({ name: "asks", transport, timeoutMs }, options);
  ends.push(() => client.disconnect());
  await client.connect();
  return client;
}

/** What the client answers where the fake server asks this. */
async function answersTo(
  questions: readonly Message[],
  options: McpClientOptions = {},
): Promise<readonly Message[]> {
  const client = await connect(fakeStdio(), options);
  const requests = questions.map((question, index) => ({
    jsonrpc: "2.0",
    id: `q-${index}`,
    ...question,
  }));
  const [block] = (await client.callTool("ask", { requests }))["content"] as [{ text: string }];
  const answers = JSON.parse(block.text) as Message[];
  return answers.toSorted((a, b) => (String(a["id"]) < String(b["id"]) ? -1 : 1));
}

const elicitation = (requestedSchema: unknown, more: Message = {}): Message => ({
  method: "elicitation/create",
  params: { message: "m", requestedSchema, ...more },
});

const form = (properties: Message, more: Message = {}): Message =>
  elicitation({ type: "object", properties, ...more });

test("without callbacks nothing is offered, what is asked is refused, and a ping is answered", async () => {
  const answers = await answersTo([
    { method: "ping" },
    { method: "roots/list" },
    { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } },
    form({}),
    { method: "foo/bar" },
  ]);
  const refused = { error: { code: -32_601, message: "Method not found" } };
  expect(answers).toEqual([
    { jsonrpc: "2.0", id: "q-0", result: {} },
    ...[1, 2, 3, 4].map((index) => ({ jsonrpc: "2.0", id: `q-${index}`, ...refused })),
  ]);
});

test("each callback answers its request, and its capability is told of in the handshake", async () => {
  const options: McpClientOptions = {
    onElicitation: () => ({ action: "accept", content: { b: 2 } }),
    onSampling: ({ maxTokens }) => ({
      role: "assistant",
      content: { type: "text", text: String(maxTokens) },
      model: "m",
    }),
    roots: [{ uri: "file:///a" }],
  };
  const answers = await answersTo(
    [
      { method: "roots/list" },
      { method: "sampling/createMessage", params: { messages: [], maxTokens: 9 } },
      form({ a: { type: "integer", default: 1 }, b: { type: "integer", default: 7 } }),
    ],
    options,
  );
  expect(answers.map(({ result }) => result)).toEqual([
    { roots: [{ uri: "file:///a" }] },
    { role: "assistant", content: { type: "text", text: "9" }, model: "m" },
    { action: "accept", content: { a: 1, b: 2 } },
  ]);
  const client = await connect(fakeStdio(), options);
  const [seen] = (await client.callTool("received"))["content"] as [{ text: string }];
  const [initialize] = JSON.parse(seen.text) as { params: { capabilities: unknown } }[];
  expect(initialize?.params.capabilities).toEqual({
    elicitation: { form: {}, url: {} },
    sampling: {},
    roots: {},
  });
});

test("an answer that does not fit the form is not sent, and a notice says why", async () => {
  const notices: string[] = [];
  const [answer] = await answersTo([form({ age: { type: "integer" } }, { required: ["age"] })], {
    onElicitation: () => ({ action: "accept", content: { age: "old" } }),
    onNotice: (code, message) => void notices.push(`${code}: ${message}`),
  });
  expect(answer).toMatchObject({ error: { code: -32_603, message: "There is no answer." } });
  expect(notices).toEqual([
    expect.stringContaining("mcp-request-failed: What it asked for was not answered: The content"),
  ]);
});

test("what a callback throws is not told to the server", async () => {
  const notices: string[] = [];
  const [answer] = await answersTo([form({})], {
    onElicitation: () => {
      throw new Error("the password is 123");
    },
    onNotice: (_code, message) => void notices.push(message),
  });
  expect(JSON.stringify(answer)).not.toContain("123");
  expect(notices).toEqual([expect.stringContaining("the password is 123")]);
});

test("a page is shown with its whole address and its host, and only pages are", async () => {
  const shown: Elicitation[] = [];
  const page = (url: unknown): Message => ({
    method: "elicitation/create",
    params: { mode: "url", message: "Go\u200b there", url, elicitationId: "e" },
  });
  const answers = await answersTo(
    [
      page("https://user@münchen.example/a?b"),
      page("javascript:alert(1)"),
      page("file:///etc/passwd"),
      page(`https://h/${"x".repeat(9000)}`),
      page(7),
      elicitation({ type: "array" }),
      elicitation(undefined),
      { method: "elicitation/create", params: { mode: "telepathy" } },
    ],
    {
      onElicitation: (asked) => {
        shown.push(asked);
        return { action: "accept", content: { ignored: true } };
      },
    },
  );
  expect(shown).toEqual([
    {
      mode: "url",
      message: "Go there",
      url: "https://user@xn--mnchen-3ya.example/a?b",
      host: "xn--mnchen-3ya.example",
    },
  ]);
  expect(answers[0]).toMatchObject({ result: { action: "accept" } });
  expect(answers[0]?.["result"]).not.toHaveProperty("content");
  const codes = answers.slice(1).map(({ error }) => (error as { code: number }).code);
  expect(codes).toEqual(Array.from({ length: 7 }, () => -32_602));
});

test("a server that asks for more than sixteen things at once gets no more", async () => {
  const release = Promise.withResolvers<void>();
  let asked = 0;
  const client = await connect(fakeStdio(), {
    onElicitation: async () => {
      asked += 1;
      await release.promise;
      return { action: "cancel" };
    },
  });
  const requests = Array.from({ length: 20 }, (_unused, id) => ({
    jsonrpc: "2.0",
    id,
    ...form({}),
  }));
  const call = client.callTool("ask", { requests });
  const answersSoFar = async (): Promise<number> => {
    const [block] = (await client.callTool("received"))["content"] as [{ text: string }];
    return (JSON.parse(block.text) as Message[]).filter(({ error }) => error !== undefined).length;
  };
  await expect.poll(answersSoFar).toBe(4);
  expect(asked).toBe(16);
  release.resolve();
  await call;
});

test("while the user thinks, the time limit of the call that asked stands still", async () => {
  const clock = manualClock();
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<{ readonly action: "decline" }>();
  const onElicitation = (): Promise<{ readonly action: "decline" }> => {
    asked.resolve();
    return answer.promise;
  };
  const client = await connect(fakeStdio(), { clock, onElicitation }, 1000);
  const requests = [{ jsonrpc: "2.0", id: 1, ...form({}) }];
  const call = client.callTool("ask", { requests });
  await asked.promise;
  clock.advance(3_600_000);
  answer.resolve({ action: "decline" });
  expect(JSON.stringify(await call)).toContain("decline");
  const hanging = client.callTool("hang").catch((error: unknown) => error);
  await client.callTool("received");
  clock.advance(1000);
  expect(await hanging).toMatchObject({ code: "mcp-timeout" });
});

test.each(["stdio", "streamable-http", "sse"] as const)(
  "the everything server asks for a form, a page, a model and folders over %s",
  async (kind) => {
    const asked: string[] = [];
    const client = await connect(await everything(kind), {
      onElicitation: (request) => {
        asked.push(request.mode);
        return request.mode === "url"
          ? { action: "decline" }
          : { action: "accept", content: { name: "Ann", check: true } };
      },
      onSampling: () => ({
        role: "assistant",
        content: { type: "text", text: "a fine answer" },
        model: "scripted",
      }),
      roots: [{ uri: "file:///work/here", name: "here" }],
    });
    const names = (await client.listTools()).map(({ sourceName }) => sourceName);
    const said = async (tool: string, input = {}): Promise<string> =>
      JSON.stringify(await client.callTool(tool, input));
    expect(names).toEqual(
      expect.arrayContaining([
        "trigger-elicitation-request",
        "trigger-url-elicitation",
        "trigger-sampling-request",
        "get-roots-list",
      ]),
    );
    const filled = await said("trigger-elicitation-request");
    expect(filled).toContain("Name: Ann");
    expect(filled).toContain("It was a dark and stormy night"); // a default of the form
    const input = { prompt: "p", maxTokens: 10 };
    expect(await said("trigger-sampling-request", input)).toContain("a fine answer");
    expect(await said("get-roots-list")).toContain("file:///work/here");
    const url = "https://example.com/a";
    expect(await said("trigger-url-elicitation", { url, message: "m" })).toMatch(/declin/i);
    expect(asked).toEqual(["form", "url"]);
  },
);

test.each([
  ["accept", "declin", 2],
  ["decline", "browser-based authorization", 1],
] as const)(
  "where a call needs a page to be visited first, the user is shown it (%s), and it is sent again",
  async (answer, words, times) => {
    const shown: string[] = [];
    const client = await connect(referenceServer("everything", { args: ["stdio"] }), {
      onElicitation: (asked) => {
        shown.push(asked.mode === "url" ? asked.url : asked.mode);
        return { action: shown.length === 1 ? answer : "decline" };
      },
    });
    const input = { url: "https://example.com/a", message: "m", errorPath: true };
    const outcome = await client.callTool("trigger-url-elicitation", input).catch(String);
    expect(JSON.stringify(outcome)).toMatch(new RegExp(words, "i"));
    expect(shown).toHaveLength(times);
    expect(shown[0]).toBe("https://modelcontextprotocol.io/");
  },
);

test("in a toolset a callback knows for which run it answers", async () => {
  const seen: unknown[] = [];
  const toolset = mcpToolset({
    name: "asks",
    transport: referenceServer("everything", { args: ["stdio"] }),
    onElicitation: (_asked, { binding, server }) => {
      seen.push([binding.run.actor, server]);
      return { action: "decline" };
    },
  });
  const opened = await toolset.open(bindingFor({ actor: "ann" }), keepNotices());
  ends.push(() => opened.close());
  const tool = opened.tools.find(({ name }) => name === "trigger-elicitation-request");
  expect(JSON.stringify(await callTool(tool, {}))).toMatch(/declin/i);
  expect(seen).toEqual([["ann", "asks"]]);
});

async function everything(kind: "stdio" | "streamable-http" | "sse"): Promise<McpTransport> {
  if (kind === "stdio") {
    return referenceServer("everything", { args: ["stdio"] });
  }
  const { url, process } = await startEverything(kind);
  ends.push(() => {
    process.kill("SIGKILL");
    return once(process, "exit");
  });
  return { type: kind, url, allowInsecureHttp: true };
}

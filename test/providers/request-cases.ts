import { expect, test } from "vitest";
import type { JsonObject } from "../../src/base/json.ts";
import type { AssistantContent, MediaPart, UserContent } from "../../src/message/content.ts";
import type { Message } from "../../src/message/message.ts";
import type { ModelRequest, ToolDefinition } from "../../src/model/model.ts";
import type { ServerAnswer } from "../../src/testing/model-server.ts";
import { type ModelOutcome, outcomeOf } from "../model-events.ts";
import { ask, request } from "./answer-cases.ts";
import type { Provider } from "./provider.ts";

const user = (...content: readonly UserContent[]): Message => ({ role: "user", content });

const text = (words: string) => ({ kind: "text", text: words }) as const;

const picture: MediaPart = {
  kind: "image",
  mediaType: "image/png",
  source: { kind: "data", base64: "AAAA".repeat(1_000) },
};

/** An answer as the history keeps it; it goes through JSON, as it does in a store. */
function toMessage({ parts }: ModelOutcome): Message {
  const content = parts.map((part): AssistantContent => {
    const kept = part.providerData === undefined ? {} : { providerData: part.providerData };
    switch (part.kind) {
      case "tool-call":
        return {
          kind: "tool-call",
          id: part.id,
          name: `${part.name}`,
          arguments: JSON.parse(part.text || "{}"),
          ...kept,
        };
      case "reasoning":
        return { kind: "reasoning", text: part.text, ...kept };
      default:
        return { kind: "text", text: part.text, ...kept };
    }
  });
  return JSON.parse(JSON.stringify({ role: "assistant", content }));
}

const calling = (name: string): Message => ({
  role: "assistant",
  content: [{ kind: "tool-call", id: "a", name, arguments: {} }],
});

/** Results of all calls of a message, all with this content. */
const resultsOf = (
  message: Message,
  content: readonly UserContent[],
  isError = false,
): Message => ({
  role: "tool",
  content: (message.role === "assistant" ? message.content : []).flatMap((part) =>
    part.kind === "tool-call"
      ? [{ kind: "tool-result", id: part.id, name: part.name, isError, content } as const]
      : [],
  ),
});

const signed: ServerAnswer = {
  kind: "answer",
  reasoning: "hm",
  signature: "sig-r",
  calls: [
    { id: "a", name: "read", arguments: '{"path":"/a"}', signature: "sig-c" },
    { id: "b", name: "read", arguments: '{"path":"/b"}' },
  ],
};

/** What the provider gets after these messages, and that it takes it. */
async function sent(provider: Provider, asked: Partial<ModelRequest>): Promise<JsonObject> {
  await using server = await provider.start({ respond: () => "Done" });
  const model = provider.make(server.baseUrl);
  expect(outcomeOf(await ask(model, { ...request, ...asked })).text).toBe("Done");
  return server.requests[0]?.body ?? {};
}

/** Histories are sent so that the provider takes them. */
export function historyCases(provider: Provider): void {
  test("what the provider wants back with thoughts and calls comes back, also after JSON", async () => {
    await using server = await provider.start({
      respond: (_request, index) => (index === 0 ? signed : "Done"),
    });
    const model = provider.make(server.baseUrl);
    const message = toMessage(outcomeOf(await ask(model)));
    const messages = [...request.messages, message, resultsOf(message, [text("contents")])];
    expect(outcomeOf(await ask(model, { ...request, messages })).text).toBe("Done");
    const body = server.requests[1]?.body ?? {};
    expect(provider.read.opaque(body)).toEqual(provider.givenBack);
    expect(provider.read.results(body)).toEqual(["contents", "contents"]);
  });

  test("a history that other providers' models have made is taken, without what they signed", async () => {
    const signature = "secret-of-another";
    const providerData = { "another/host": { signature, thoughtSignature: signature } };
    const content: readonly AssistantContent[] = [
      { kind: "reasoning", text: "hm", providerData },
      { kind: "text", text: "Reading.", providerData },
      {
        kind: "tool-call",
        id: "call.1|x",
        name: "read",
        arguments: { path: "/a" },
        malformedArguments: "{",
        providerData,
      },
      { kind: "tool-call", id: "call.2|x", name: "read", arguments: {} },
    ];
    const message: Message = { role: "assistant", content };
    const body = await sent(provider, {
      messages: [user(text("Hi")), message, resultsOf(message, [text("contents")])],
    });
    expect(JSON.stringify(body)).not.toContain(signature);
  });

  test("a history whose call has no result is refused, which the caller learns", async () => {
    await using server = await provider.start({ respond: () => "never" });
    const content = [{ kind: "tool-call", id: "a", name: "read", arguments: {} }] as const;
    const messages: readonly Message[] = [user(text("Hi")), { role: "assistant", content }];
    await expect(
      ask(provider.make(server.baseUrl), { ...request, messages }),
    ).rejects.toMatchObject({
      code: "model-refused",
      status: 400,
      message: expect.stringContaining("no result"),
    });
  });
}

/** What messages hold reaches the provider. */
export function contentCases(provider: Provider): void {
  test("a failed tool's text is passed on as it is", async () => {
    const message = calling("read");
    const failure = '{"ok":false,"error":{"message":"pick a province"}}';
    const body = await sent(provider, {
      messages: [user(text("Hi")), message, resultsOf(message, [text(failure)], true)],
    });
    expect(provider.read.results(body)).toEqual([failure]);
  });

  test("an empty answer and empty texts are no part of what is sent", async () => {
    const content = [{ kind: "text", text: "" }] as const;
    await sent(provider, {
      messages: [user(text("Hi")), { role: "assistant", content }, user(text(""), text("Go on"))],
    });
  });

  test("pictures go as pictures, from the user and from a tool's result", async () => {
    const message = calling("read");
    const messages = [
      user(text("What is this?"), picture),
      message,
      resultsOf(message, [text("A picture:"), picture]),
    ];
    const body = await sent(provider, { messages });
    const { source } = picture;
    const base64 = source.kind === "data" ? source.base64 : "";
    expect(provider.read.pictures(body)).toEqual([base64, base64]);
  });

  test.skipIf(provider.isBridge)("system messages are told, wherever they stand", async () => {
    const system = (words: string): Message => ({ role: "system", text: words });
    const messages = [system("Be brief."), user(text("Hi")), system("Be kind.")];
    expect(provider.read.system(await sent(provider, { messages }))).toBe("Be brief.\n\nBe kind.");
  });
}

/** Tools whose schemas providers are known to refuse. */
const hardSchemas: Readonly<Record<string, JsonObject>> = {
  draft: {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    properties: {
      n: { type: "integer", exclusiveMinimum: 0 },
      k: { const: "a" },
      t: { type: ["string", "null"] },
    },
  },
  reference: {
    type: "object",
    $defs: { P: { type: "object", properties: { x: { type: "number" } } } },
    properties: { p: { anyOf: [{ $ref: "#/$defs/P" }, { type: "null" }] } },
  },
  recursion: {
    type: "object",
    $defs: { N: { type: "object", properties: { next: { $ref: "#/$defs/N" } } } },
    properties: { n: { $ref: "#/$defs/N" } },
  },
  arrays: {
    type: "object",
    properties: {
      v: { anyOf: [{ type: "array" }, { type: "string" }] },
      m: {
        type: "array",
        items: { anyOf: [{ type: "array", items: { type: "number" } }, { type: "null" }] },
      },
    },
  },
  nothing: { type: "object" },
  empty: { type: "object", properties: {} },
  union: {
    anyOf: [
      { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
      { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    ],
  },
  nullable: {
    type: "object",
    properties: { after: { anyOf: [{ type: "string" }, { type: "null" }], default: null } },
  },
  uri: { type: "object", properties: { url: { type: "string", format: "uri" } } },
  flags: {
    type: "object",
    properties: {
      low: { type: "integer", minimum: 0, exclusiveMinimum: true },
      high: { type: "number", maximum: 9, exclusiveMaximum: false },
      name: { type: "string", required: true },
    },
  },
  types: {
    type: "object",
    properties: {
      any: { type: "any" },
      text: { type: "str" },
      big: { type: "STRING" },
      list: { type: "array", items: { type: ["int", "null"] } },
      none: { type: null },
    },
  },
  patterns: {
    type: "object",
    properties: {
      file: { type: "string", pattern: "^(?!undefined$|null$)" },
      title: { type: "string", pattern: "^[\\p{L}\\p{N} ._\\-]+$" },
    },
  },
  leftovers: {
    type: "object",
    required: {},
    properties: {
      inner: { type: "object", properties: [], required: null },
      choice: { enum: [], anyOf: [], description: null },
      type: "object",
    },
  },
  names: { type: "object", properties: { "a b": { type: "string" }, $top: { type: "integer" } } },
};

const hardTools: readonly ToolDefinition[] = Object.entries(hardSchemas).map(
  ([name, inputSchema]) => ({ name, description: `Takes ${name}.`, inputSchema }),
);

const shape = {
  type: "object",
  properties: { city: { type: "string", minLength: 1 }, ok: { type: "boolean" } },
  required: ["city", "ok"],
};

/** What a request may ask for. */
export function requestCases(provider: Provider): void {
  test("tools with schemas that are hard to take are all taken", async () => {
    const body = await sent(provider, { tools: hardTools });
    expect(provider.read.tools(body)).toEqual(Object.keys(hardSchemas));
  });

  test("an answer is held to a schema", async () => {
    const body = await sent(provider, { tools: [], output: { schema: shape, name: "weather" } });
    expect(provider.read.schema(body)).toMatchObject({
      type: "object",
      properties: { city: { type: "string" }, ok: { type: "boolean" } },
      required: ["city", "ok"],
    });
  });

  test("the schema of an answer that cannot be held to it is told in words, or wide", async () => {
    const open = { type: "object", additionalProperties: { type: "string", format: "uri" } };
    const body = await sent(provider, { tools: [], output: { schema: open } });
    const isHeld = provider.read.schema(body) !== undefined;
    expect(isHeld || provider.read.system(body).includes(JSON.stringify(open))).toBe(true);
  });

  test("an answer may be asked for as JSON beside tools", async () => {
    const body = await sent(provider, { output: { schema: shape } });
    const isHeld = provider.read.schema(body) !== undefined;
    expect(isHeld || provider.read.system(body).includes(JSON.stringify(shape))).toBe(true);
    expect(provider.read.tools(body)).toEqual(["read"]);
  });

  test.each<Partial<ModelRequest>>([
    { toolChoice: "auto" },
    { toolChoice: "none" },
    { toolChoice: "required" },
    { toolChoice: "required", reasoningEffort: "high" },
    { temperature: 0, maxOutputTokens: 100 },
    { reasoningEffort: "none" },
    { reasoningEffort: "low", temperature: 0.5 },
    { reasoningEffort: "high", maxOutputTokens: 100 },
  ])("%j is taken", async (asked) => {
    expect(await sent(provider, asked)).not.toEqual({});
  });
}

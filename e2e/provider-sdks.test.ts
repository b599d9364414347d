import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { Ollama } from "ollama";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import type { ServerAnswer, ServerReply } from "../src/testing/model-server.ts";
import { anthropicProvider } from "../test/providers/anthropic.ts";
import { geminiProvider } from "../test/providers/gemini.ts";
import { ollamaProvider } from "../test/providers/ollama.ts";
import { openAi } from "../test/providers/openai.ts";
import type { Provider } from "../test/providers/provider.ts";

/** What a provider's own SDK has understood. */
interface Understood {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly (readonly [name: string, args: unknown])[];
}

interface Sdk {
  readonly provider: Provider;
  /** Asks and adds up, streamed and whole. */
  readonly stream: (baseUrl: string) => Promise<Understood>;
  readonly whole: (baseUrl: string) => Promise<Understood>;
}

const user = { role: "user", content: "Hi" } as const;

const joined = (texts: readonly (string | null | undefined)[]): string =>
  texts.map((text) => text ?? "").join("");

/** Fields that compatible servers add, and that the SDK passes through. */
const reasoningIn = (delta: object): string =>
  "reasoning_content" in delta ? `${delta.reasoning_content}` : "";

const openai: Sdk = {
  provider: openAi,
  async stream(baseURL) {
    const client = new OpenAI({ baseURL, apiKey: "k", maxRetries: 0 });
    const runner = client.chat.completions.stream({ model: "m", messages: [user] });
    let reasoning = "";
    runner.on("chunk", ({ choices }) => {
      reasoning += reasoningIn(choices[0]?.delta ?? {});
    });
    const { choices } = await runner.finalChatCompletion();
    return { ...ofChoice(choices[0]), reasoning };
  },
  async whole(baseURL) {
    const client = new OpenAI({ baseURL, apiKey: "k", maxRetries: 0 });
    const { choices } = await client.chat.completions.create({ model: "m", messages: [user] });
    return ofChoice(choices[0]);
  },
};

const ofChoice = (choice: OpenAI.ChatCompletion.Choice | undefined): Understood => ({
  text: choice?.message.content ?? "",
  reasoning: reasoningIn(choice?.message ?? {}),
  calls: (choice?.message.tool_calls ?? []).map((call) =>
    call.type === "function"
      ? [call.function.name, JSON.parse(call.function.arguments)]
      : ["", undefined],
  ),
});

const google: Sdk = {
  provider: geminiProvider,
  async stream(baseUrl) {
    const chunks = await clientOf(baseUrl).models.generateContentStream({
      model: "m",
      contents: "Hi",
    });
    const parts = [];
    for await (const chunk of chunks) {
      parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
    }
    return ofParts(parts);
  },
  async whole(baseUrl) {
    const { candidates } = await clientOf(baseUrl).models.generateContent({
      model: "m",
      contents: "Hi",
    });
    return ofParts(candidates?.[0]?.content?.parts ?? []);
  },
};

const clientOf = (baseUrl: string): GoogleGenAI =>
  new GoogleGenAI({
    apiKey: "k",
    vertexai: false,
    httpOptions: { baseUrl: baseUrl.replace(/\/v1beta$/, ""), apiVersion: "v1beta" },
  });

type GooglePart = {
  readonly text?: string;
  readonly thought?: boolean;
  readonly functionCall?: { readonly name?: string; readonly args?: object };
};

const ofParts = (parts: readonly GooglePart[]): Understood => ({
  text: joined(parts.filter(({ thought }) => !thought).map(({ text }) => text)),
  reasoning: joined(parts.filter(({ thought }) => thought).map(({ text }) => text)),
  calls: parts.flatMap(({ functionCall: call }) => (call ? [[call.name ?? "", call.args]] : [])),
});

const ollama: Sdk = {
  provider: ollamaProvider,
  async stream(host) {
    const parts = [];
    const asked = { model: "m", messages: [user], stream: true as const };
    for await (const { message } of await new Ollama({ host }).chat(asked)) {
      parts.push(message);
    }
    return ofMessages(parts);
  },
  async whole(host) {
    const { message } = await new Ollama({ host }).chat({ model: "m", messages: [user] });
    return ofMessages([message]);
  },
};

type OllamaMessage =
  Awaited<ReturnType<Ollama["chat"]>> extends infer Response
    ? Response extends { message: infer Said }
      ? Said
      : never
    : never;

const ofMessages = (messages: readonly OllamaMessage[]): Understood => ({
  text: joined(messages.map(({ content }) => content)),
  reasoning: joined(messages.map(({ thinking }) => thinking)),
  calls: messages.flatMap(({ tool_calls: calls = [] }) =>
    calls.map(({ function: { name, arguments: args } }) => [name, args] as const),
  ),
});

const anthropic: Sdk = {
  provider: anthropicProvider,
  async stream(baseURL) {
    const client = new Anthropic({ baseURL, apiKey: "k", maxRetries: 0 });
    const asked = { model: "m", max_tokens: 100, messages: [user] };
    return ofBlocks((await client.messages.stream(asked).finalMessage()).content);
  },
  async whole(baseURL) {
    const client = new Anthropic({ baseURL, apiKey: "k", maxRetries: 0 });
    const asked = { model: "m", max_tokens: 100, messages: [user] };
    return ofBlocks((await client.messages.create(asked)).content);
  },
};

const ofBlocks = (blocks: readonly Anthropic.ContentBlock[]): Understood => ({
  text: joined(blocks.map((block) => (block.type === "text" ? block.text : ""))),
  reasoning: joined(blocks.map((block) => (block.type === "thinking" ? block.thinking : ""))),
  calls: blocks.flatMap((block) =>
    block.type === "tool_use" ? [[block.name, block.input] as const] : [],
  ),
});

const answer: ServerAnswer = {
  kind: "answer",
  reasoning: "let me think 💭",
  text: "Ich lese 北京 🌍.",
  calls: [
    { id: "a", name: "read", arguments: '{"path":"/北京"}', signature: "sig-c" },
    { id: "b", name: "read", arguments: '{"path":"/🌍"}' },
  ],
};

const understood: Understood = {
  text: "Ich lese 北京 🌍.",
  reasoning: "let me think 💭",
  calls: [
    ["read", { path: "/北京" }],
    ["read", { path: "/🌍" }],
  ],
};

const sdks = [openai, google, ollama, anthropic].map((sdk) => [sdk.provider.name, sdk] as const);

describe.each(sdks)("the SDK of %s", (_name, { provider, stream, whole }) => {
  const served = async (
    reply: ServerReply,
    ask: (baseUrl: string) => Promise<Understood>,
    bytesPerWrite?: number,
  ): Promise<Understood> => {
    const options = { respond: () => reply, ...(bytesPerWrite && { bytesPerWrite }) };
    await using server = await provider.start(options);
    return await ask(server.baseUrl);
  };

  test("understands every kind of answer of our server, streamed and whole", async () => {
    expect(await served(answer, stream)).toEqual(understood);
    expect(await served(answer, stream, 3)).toEqual(understood);
    expect(await served(answer, whole)).toEqual(understood);
  });

  test("understands the chunks that the table of cases uses", async () => {
    const chunks = [...provider.hello, ...provider.rest];
    const reply = { kind: "stream", chunks, end: "silent" } as const;
    expect((await served(reply, stream)).text).toBe("Hello!");
  });

  test.each([
    ["a finish reason for length", "length"],
    ["a finish reason of a filter", "filtered"],
  ] as const)("takes %s", async (_title, word) => {
    const finishReason = provider.words[word];
    if (finishReason !== undefined) {
      const reply = { kind: "answer", text: "Hel", finishReason } as const;
      // OpenAI's SDK reports both as an error of its own when it adds a stream up.
      expect((await served(reply, whole)).text).toBe("Hel");
    }
  });

  test("takes the usage", async () => {
    const [usage] = provider.usage;
    expect((await served({ kind: "answer", text: "Hello", usage }, stream)).text).toBe("Hello");
  });

  test("reads the message of an error, before a stream and in it", async () => {
    const body = JSON.stringify(provider.errorBody("boom"));
    const headers = { "content-type": "application/json" };
    const reply = { kind: "http", status: 400, headers, body } as const;
    await expect(served(reply, whole)).rejects.toThrow(/boom/);
    const chunks = [...provider.hello, provider.failure];
    await expect(served({ kind: "stream", chunks }, stream)).rejects.toThrow(/boom/);
  });
});

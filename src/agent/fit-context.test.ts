import { expect, test } from "vitest";
import type { Message } from "../message/message.ts";
import { estimateTokens, fitContext } from "./fit-context.ts";

const long = (sign: string): string => sign.repeat(4_000);

/** A conversation of several turns, with one to three calls each. */
function conversation(turns: number, text = long): readonly Message[] {
  const messages: Message[] = [
    { role: "system", text: "Be brief." },
    { role: "user", content: [{ kind: "text", text: "Question?" }] },
  ];
  for (let turn = 1; turn <= turns; turn += 1) {
    const ids = Array.from({ length: 1 + (turn % 3) }, (_, index) => `${turn}.${index}`);
    messages.push(
      {
        role: "assistant",
        content: ids.map((id) => ({ kind: "tool-call", id, name: "t", arguments: {} })),
      },
      {
        role: "tool",
        content: ids.map((id) => ({
          kind: "tool-result",
          id,
          name: "t",
          isError: false,
          content: [{ kind: "text", text: text(String(turn % 10)) }],
        })),
      },
    );
  }
  return messages;
}

/** Every call has its result right after it, and no result is without its call. */
function expectPaired(messages: readonly Message[]): void {
  messages.forEach((message, index) => {
    const before = messages[index - 1];
    if (message.role === "tool") {
      const asked = before?.role === "assistant" ? before.content : [];
      expect(message.content.map(({ id }) => id)).toEqual(
        asked.flatMap((part) => (part.kind === "tool-call" ? [part.id] : [])),
      );
    }
    if (message.role === "assistant") {
      expect(messages[index + 1]?.role).toBe("tool");
    }
  });
}

test("a conversation that fits stays as it is", () => {
  const messages = conversation(2);
  expect(fitContext(messages, 1_000_000)).toEqual({ messages, cutResults: 0, omittedMessages: 0 });
});

test("for every size, calls and results stay together and the ends stay", () => {
  const messages = conversation(12);
  for (let tokens = estimateTokens(messages); tokens > 0; tokens -= 700) {
    const fitted = fitContext(messages, tokens).messages;
    expectPaired(fitted);
    expect(fitted.slice(0, 2)).toEqual(messages.slice(0, 2));
    expect(fitted.at(-1)).toEqual(messages.at(-1));
  }
});

test("old results are cut before anything is left out, the oldest first", () => {
  const messages = conversation(3);
  const { messages: fitted, ...counts } = fitContext(messages, estimateTokens(messages) - 500);
  expect(counts).toEqual({ cutResults: 2, omittedMessages: 0 });
  expect(JSON.stringify(fitted[3])).toMatch(/1111\\n\(… 3600 characters left out/);
  expect(fitted.slice(4)).toEqual(messages.slice(4));
});

test("where cutting is not enough whole turns are left out, the oldest first", () => {
  const messages = conversation(12);
  const { messages: fitted, omittedMessages } = fitContext(messages, 3_200);
  expect(omittedMessages).toBeGreaterThan(0);
  expect(estimateTokens(fitted)).toBeLessThanOrEqual(3_200);
});

test("an old picture gives way to a word on it", () => {
  const picture: Message = {
    role: "tool",
    content: [
      {
        kind: "tool-result",
        id: "p",
        name: "t",
        isError: false,
        content: [
          { kind: "image", mediaType: "image/png", source: { kind: "data", base64: "AAAA" } },
        ],
      },
    ],
  };
  const call: Message = {
    role: "assistant",
    content: [{ kind: "tool-call", id: "p", name: "t", arguments: {} }],
  };
  const [system, question, ...rest] = conversation(1);
  const messages = [system, question, call, picture, ...rest] as Message[];
  const fitted = fitContext(messages, estimateTokens(messages) - 10).messages;
  expect(JSON.stringify(fitted[3])).toMatch(/image of type image\/png, left out/);
});

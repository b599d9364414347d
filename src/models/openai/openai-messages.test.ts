import { expect, test } from "vitest";
import type { JsonObject } from "../../base/json.ts";
import type {
  AssistantContent,
  MediaPart,
  ResultContent,
  UserContent,
} from "../../message/content.ts";
import type { Message } from "../../message/message.ts";
import { toWireMessages } from "./openai-messages.ts";

const scope = { provider: "here", images: true };
const wire = (...messages: readonly Message[]): readonly JsonObject[] =>
  toWireMessages(messages, scope);

const png: MediaPart = {
  kind: "image",
  mediaType: "image/png",
  source: { kind: "data", base64: "AAAA" },
};
const text = (said: string) => ({ kind: "text", text: said }) as const;

test("system messages and texts are strings", () => {
  const user = (...content: UserContent[]): Message => ({ role: "user", content });
  expect(
    wire({ role: "system", text: "Be kind." }, user(text("Hi")), user(text("a"), text("b"))),
  ).toEqual([
    { role: "system", content: "Be kind." },
    { role: "user", content: "Hi" },
    { role: "user", content: "a\nb" },
  ]);
});

const link = (kind: MediaPart["kind"], mediaType: string, url: string): MediaPart => ({
  kind,
  mediaType,
  source: { kind: "url", url },
});
const bytes = (kind: MediaPart["kind"], mediaType: string, name?: string): MediaPart => ({
  kind,
  mediaType,
  source: { kind: "data", base64: "AAAA" },
  ...(name === undefined ? {} : { name }),
});

test.each<readonly [part: MediaPart, expected: JsonObject]>([
  [png, { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }],
  [
    link("image", "image/png", "https://a/b.png"),
    { type: "image_url", image_url: { url: "https://a/b.png" } },
  ],
  [
    bytes("audio", "audio/mpeg"),
    { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
  ],
  [
    bytes("file", "application/pdf", "a.pdf"),
    { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" } },
  ],
])("the medium %j is a part that the model can read", (part, expected) => {
  expect(wire({ role: "user", content: [text("Look"), part] })).toEqual([
    { role: "user", content: [{ type: "text", text: "Look" }, expected] },
  ]);
});

test.each<readonly [part: MediaPart, note: string]>([
  [bytes("audio", "audio/ogg"), "[audio audio/ogg: not readable for this model]"],
  [
    bytes("file", "application/zip", "a.zip"),
    "[file a.zip, application/zip: not readable for this model]",
  ],
  [
    link("file", "application/pdf", "https://a/b.pdf"),
    "[file application/pdf at https://a/b.pdf: not readable for this model]",
  ],
  [
    link("audio", "audio/wav", "data:audio/wav;base64,AAAA"),
    "[audio audio/wav: not readable for this model]",
  ],
])("the medium %j, which the wire cannot carry, is a note", (part, note) => {
  expect(wire({ role: "user", content: [part] })).toEqual([{ role: "user", content: note }]);
});

test("a model that reads no pictures gets a note, and plain strings", () => {
  const messages = toWireMessages([{ role: "user", content: [text("Look"), png] }], {
    ...scope,
    images: false,
  });
  expect(messages).toEqual([
    { role: "user", content: "Look\n[image image/png: not readable for this model]" },
  ]);
});

const assistant = (...content: AssistantContent[]): readonly JsonObject[] =>
  wire({ role: "assistant", content });

const call = (
  given: Partial<Extract<AssistantContent, { kind: "tool-call" }>> = {},
): AssistantContent => ({
  kind: "tool-call",
  id: "a",
  name: "read",
  arguments: { x: 1 },
  ...given,
});

test("an answer's texts are joined as they were said", () => {
  expect(assistant(text("Hel"), text("lo"))).toEqual([{ role: "assistant", content: "Hello" }]);
});

test("an answer with calls only has the content null", () => {
  expect(assistant(call())).toEqual([
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "a", type: "function", function: { name: "read", arguments: '{"x":1}' } }],
    },
  ]);
});

test("an answer that holds nothing is left out", () => {
  expect(assistant({ kind: "reasoning", text: "hm" })).toEqual([]);
});

test("malformed arguments never go back, whatever the model wrote", () => {
  const [message] = assistant(call({ arguments: {}, malformedArguments: '{"path": "/a' }));
  expect(message).toMatchObject({ tool_calls: [{ function: { arguments: "{}" } }] });
  expect(JSON.stringify(message)).not.toContain("/a");
});

test("a call gets back what its provider gave with it, and only that provider", () => {
  const opaque = {
    extra_content: { google: { thought_signature: "s1" } },
    provider_specific_fields: { thought_signature: "s2" },
  };
  const [here] = assistant(call({ providerData: { here: opaque, there: { extra_content: "x" } } }));
  const [there] = assistant(call({ providerData: { there: opaque } }));
  expect(here).toMatchObject({ tool_calls: [{ id: "a", ...opaque }] });
  expect(there).toEqual(assistant(call())[0]);
});

test("a text gets its signature back on the message", () => {
  const extra_content = { google: { thought_signature: "s1" } };
  const signed = { ...text("Yes"), providerData: { here: { extra_content } } };
  expect(assistant(signed)).toEqual([{ role: "assistant", content: "Yes", extra_content }]);
  expect(assistant({ ...signed, text: "" }, call())).toMatchObject([
    { content: null, extra_content },
  ]);
});

const thought = (data: JsonObject): AssistantContent => ({
  kind: "reasoning",
  text: "hm",
  providerData: { here: data },
});

test.each(["reasoning_content", "reasoning"])(
  "%s goes back with calls, in the same field",
  (field) => {
    expect(assistant(thought({ field }), thought({ field }), call())).toMatchObject([
      { [field]: "hmhm" },
    ]);
    expect(assistant(thought({ field }), text("Yes"))).toEqual([
      { role: "assistant", content: "Yes" },
    ]);
  },
);

test("reasoning of another provider, or without a field, does not go back", () => {
  const other = {
    kind: "reasoning",
    text: "hm",
    providerData: { there: { field: "reasoning" } },
  } as const;
  expect(assistant(other, { kind: "reasoning", text: "hm" }, call())).toEqual(assistant(call()));
});

test("signed blocks of reasoning always go back, verbatim and in order", () => {
  const blocks = [
    { type: "reasoning.text", text: "hm", signature: "s" },
    { type: "reasoning.encrypted", data: "e" },
  ];
  const [first, second] = blocks.map((block) => thought({ reasoning_details: [block] }));
  expect(assistant(first ?? call(), text("Yes"), second ?? call())).toEqual([
    { role: "assistant", content: "Yes", reasoning_details: blocks },
  ]);
});

test("a model's own picture is a note", () => {
  expect(assistant(text("Here:"), png)).toEqual([
    { role: "assistant", content: "Here:[image image/png]" },
  ]);
});

const result = (id: string, content: readonly ResultContent[], isError = false) =>
  ({ kind: "tool-result", id, name: "read", isError, content }) as const;

test("each result is a message of its own, in order", () => {
  const messages = wire({
    role: "tool",
    content: [result("a", [text("1"), text("2")]), result("b", [])],
  });
  expect(messages).toEqual([
    { role: "tool", tool_call_id: "a", content: "1\n2" },
    { role: "tool", tool_call_id: "b", content: "(no output)" },
  ]);
});

test("pictures of results follow in one user message after all results, and never as text", () => {
  const base64 = "iVBORw0KGgo".repeat(10_000);
  const big: MediaPart = { ...png, source: { kind: "data", base64 } };
  const messages = wire({
    role: "tool",
    content: [result("a", [text("one"), big]), result("b", [text("two")]), result("c", [png])],
  });
  expect(messages).toEqual([
    {
      role: "tool",
      tool_call_id: "a",
      content: "one\n[image image/png: see the next user message]",
    },
    { role: "tool", tool_call_id: "b", content: "two" },
    { role: "tool", tool_call_id: "c", content: "[image image/png: see the next user message]" },
    {
      role: "user",
      content: [
        { type: "text", text: "From the result of read (a):" },
        { type: "image_url", image_url: { url: `data:image/png;base64,${base64}` } },
        { type: "text", text: "From the result of read (c):" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
      ],
    },
  ]);
});

test.each([
  ["boom", "Error: boom"],
  ["Error: boom", "Error: boom"],
  ['{"ok":false}', '{"ok":false}'],
  ["[1]", "[1]"],
])("the failure %j is shown to the model as %j", (said, shown) => {
  expect(wire({ role: "tool", content: [result("a", [text(said)], true)] })).toEqual([
    { role: "tool", tool_call_id: "a", content: shown },
  ]);
});

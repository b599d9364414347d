import { expect, test } from "vitest";
import type { AssistantContent } from "../message/content.ts";
import type { Message } from "../message/message.ts";
import { repairHistory } from "./repair-history.ts";

const user = (text: string): Message => ({ role: "user", content: [{ kind: "text", text }] });

/** What the model says: texts, and calls written as `#id`. */
const assistant = (...parts: readonly string[]): Message => ({
  role: "assistant",
  content: parts.map(
    (part): AssistantContent =>
      part.startsWith("#")
        ? { kind: "tool-call", id: part.slice(1), name: "look", arguments: {} }
        : { kind: "text", text: part },
  ),
});

/** Results, written as `id=text`. */
const results = (...parts: readonly string[]): Message => ({
  role: "tool",
  content: parts.map((part) => {
    const [id = "", text = ""] = part.split("=");
    return {
      kind: "tool-result",
      id,
      name: "look",
      isError: false,
      content: [{ kind: "text", text }],
    };
  }),
});

/** The one result that repairs make up. */
const interrupted = (id: string): Message => ({
  role: "tool",
  content: [
    {
      kind: "tool-result",
      id,
      name: "look",
      isError: true,
      content: [{ kind: "text", text: expect.stringMatching(/No result was recorded/) }],
    },
  ],
});

interface Case {
  readonly damaged: readonly Message[];
  readonly repaired: readonly Message[];
}

const cases: Readonly<Record<string, Case>> = {
  "a call at the end without a result gets one": {
    damaged: [user("Hi"), assistant("Let me see.", "#1")],
    repaired: [user("Hi"), assistant("Let me see.", "#1"), interrupted("1")],
  },
  "a call in the middle without a result gets one": {
    damaged: [assistant("#1"), user("And?"), assistant("Well.")],
    repaired: [assistant("#1"), interrupted("1"), user("And?"), assistant("Well.")],
  },
  "a result without a call is left out": {
    damaged: [results("0=lost"), user("Hi"), assistant("#1"), results("1=a", "2=b")],
    repaired: [user("Hi"), assistant("#1"), results("1=a")],
  },
  "a second result of a call is left out, the first stays": {
    damaged: [assistant("#1"), results("1=first", "1=second"), results("1=third"), user("Hi")],
    repaired: [assistant("#1"), results("1=first"), user("Hi")],
  },
  "results in several messages, and in another order, are joined in the order of the calls": {
    damaged: [assistant("#1", "#2", "#3"), results("3=c"), results("1=a", "2=b")],
    repaired: [assistant("#1", "#2", "#3"), results("1=a", "2=b", "3=c")],
  },
  "a result that came behind what a person said is put behind its call": {
    damaged: [assistant("#1"), user("Wait."), results("1=a"), assistant("Done.")],
    repaired: [assistant("#1"), results("1=a"), user("Wait."), assistant("Done.")],
  },
  "a result behind the model's next answer is not the earlier call's": {
    damaged: [assistant("#1"), assistant("Never mind."), results("1=late")],
    repaired: [assistant("#1"), interrupted("1"), assistant("Never mind.")],
  },
  "an id that two runs have used is changed in the later call and its result": {
    damaged: [assistant("#1"), results("1=a"), assistant("#1", "#1_2"), results("1=b", "1_2=c")],
    repaired: [
      assistant("#1"),
      results("1=a"),
      assistant("#1_2", "#1_2_2"),
      results("1_2=b", "1_2_2=c"),
    ],
  },
  "two calls of one message with one id get their results in order": {
    damaged: [assistant("#1", "#1"), results("1=a", "1=b")],
    repaired: [assistant("#1", "#1_2"), results("1=a", "1_2=b")],
  },
  "blank texts are left out, and messages with nothing else": {
    damaged: [
      { role: "system", text: " " },
      user(""),
      user("Hi"),
      assistant(" \n", "Hello", ""),
      assistant(""),
      { role: "assistant", content: [{ kind: "reasoning", text: "" }] },
      { role: "assistant", content: [] },
    ],
    repaired: [user("Hi"), assistant("Hello")],
  },
  "a blank text of a result is left out, the result stays": {
    damaged: [assistant("#1"), results("1= ")],
    repaired: [
      assistant("#1"),
      {
        role: "tool",
        content: [{ kind: "tool-result", id: "1", name: "look", isError: false, content: [] }],
      },
    ],
  },
  "a result's name is that of its call": {
    damaged: [
      assistant("#1"),
      {
        role: "tool",
        content: [{ kind: "tool-result", id: "1", name: "other", isError: false, content: [] }],
      },
    ],
    repaired: [
      assistant("#1"),
      {
        role: "tool",
        content: [{ kind: "tool-result", id: "1", name: "look", isError: false, content: [] }],
      },
    ],
  },
  "an empty history stays one": { damaged: [], repaired: [] },
};

test.each(Object.entries(cases))("%s", (_, { damaged, repaired }) => {
  const before = structuredClone(damaged);
  const once = repairHistory(damaged);
  expect(once).toEqual(repaired);
  expect(repairHistory(once)).toEqual(once);
  expect(damaged).toEqual(before);
});

test("a sound history stays as it is, with what providers want back", () => {
  const sound: readonly Message[] = [
    { role: "system", text: "The customer has paid." },
    user("Hi"),
    {
      role: "assistant",
      content: [
        { kind: "reasoning", text: "", providerData: { gemini: { signature: "x" } } },
        { kind: "text", text: "", providerData: { gemini: { signature: "y" } } },
        {
          kind: "tool-call",
          id: "1",
          name: "look",
          arguments: { a: 1 },
          malformedArguments: "{",
          providerData: { gemini: { signature: "z" } },
        },
      ],
    },
    results("1=a"),
    assistant("Done."),
    {
      role: "user",
      content: [{ kind: "image", mediaType: "image/png", source: { kind: "data", base64: "" } }],
    },
  ];
  expect(repairHistory(sound)).toEqual(sound);
});

test("of any messages in any order, what comes out is sound", () => {
  const pieces = [
    user("Hi"),
    user(""),
    assistant("#1"),
    assistant("Well.", "#2", "#1"),
    assistant(""),
    results("1=a"),
    results("2=b", "1=c", "1=d"),
  ];
  for (let seed = 0; seed < pieces.length ** 4; seed += 1) {
    const history = [0, 1, 2, 3].map(
      (digit) => pieces[Math.floor(seed / pieces.length ** digit) % pieces.length] ?? user("Hi"),
    );
    expectSound(repairHistory(history));
  }
});

/** Each message with calls is followed by exactly their results, ids are unique, nothing is empty. */
function expectSound(history: readonly Message[]): void {
  const seen = new Set<string>();
  let open: readonly string[] = [];
  for (const message of history) {
    if (message.role === "tool") {
      expect(message.content.map(({ id }) => id)).toEqual(open);
      open = [];
      continue;
    }
    expect(open).toEqual([]);
    expect(message.role === "system" ? message.text : message.content).not.toHaveLength(0);
    const content = message.role === "assistant" ? message.content : [];
    open = content.flatMap((part) => (part.kind === "tool-call" ? [part.id] : []));
    for (const id of open) {
      expect(seen.has(id)).toBe(false);
      seen.add(id);
    }
  }
  expect(open).toEqual([]);
}

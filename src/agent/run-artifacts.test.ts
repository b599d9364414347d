import { expect, test } from "vitest";
import { agentOf, collect, modelOf } from "../../test/agent-fixture.ts";
import { type Outcome, run } from "../../test/run-with-artifacts.ts";
import { fromBase64, toBase64 } from "../base/base64.ts";
import type { ResultContent } from "../message/content.ts";
import type { ModelRequest } from "../model/model.ts";
import { memoryArtifacts } from "../stores/memory-artifacts.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { type ScriptedModel, scriptedModel } from "../testing/scripted-model.ts";
import { Artifact } from "../tool/artifact.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { Tool } from "../tool/tool.ts";
import { toolSuccess } from "../tool/tool-result.ts";
import type { ArtifactSettings } from "./artifact-settings.ts";
import type { ArtifactStore } from "./artifact-store.ts";
import { MemoryRunStore } from "./memory-run-store.ts";
import type { RunEvent } from "./run-event.ts";

const utf8 = new TextEncoder();
const png = toBase64(Uint8Array.from([137, 80, 78, 71]));
const pngId = "sha256-0f4636c78f65d3639ece5a064b5ae753e3408614a14fb18ab4d7540d2c248543";
const image = {
  kind: "image",
  mediaType: "image/png",
  source: { kind: "data", base64: png },
} as const;

const giving = (name: string, give: () => unknown): Tool =>
  defineTool({ name, description: name, execute: give });

const created = (events: readonly RunEvent[]): readonly RunEvent[] =>
  events.filter(({ kind }) => kind === "artifact-create");

const noticesOf = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap((event) => (event.kind === "notice" ? [event.code] : []));

const textsOf = (content: readonly ResultContent[] = []): string =>
  content.map((part) => (part.kind === "text" ? part.text : `<${part.kind}>`)).join("\n");

test("G-T11: an image is content for a model that sees, an artifact of the run, and never both in words", async () => {
  const tool = giving("draw", () => toolSuccess({ ok: true }, { content: [image] }));
  const { events, artifacts, shown } = await run([tool]);
  expect(shown).toEqual([[{ ...image, artifact: pngId }]]);
  const about = { id: pngId, mediaType: "image/png", size: 4, toolCallId: "call_1" };
  expect(created(events)).toEqual([expect.objectContaining({ kind: "artifact-create", ...about })]);
  expect(artifacts).toEqual([{ ...about, read: expect.any(Function) }]);
  expect(await artifacts[0]?.read()).toEqual(fromBase64(png));
  const end = events.find((event) => event.kind === "tool-end");
  expect(end).toMatchObject({
    result: { value: { ok: true }, artifacts: [{ kind: "stored", id: pngId }] },
  });
});

test("G-T11: a model that does not see is told of the artifact instead", async () => {
  const tool = giving("draw", () => toolSuccess(null, { content: [image] }));
  const model = scriptedModel([{ calls: [{ name: "draw" }] }, "done"], {
    capabilities: { images: false },
  });
  const { shown } = await run([tool], { model });
  expect(shown).toEqual([
    [
      {
        kind: "text",
        text: `[A file (image/png, 4 bytes) is artifact ${pngId}. You cannot see it.]`,
      },
    ],
  ]);
});

const file = (mediaType: string, data: Uint8Array | string): Tool =>
  giving("give", () =>
    toolSuccess("Made.", { artifacts: [Artifact.inline({ data, mediaType, name: "f" })] }),
  );

test.each([
  ["text/csv", "a,b", /^Made\.\na,b$/],
  ["application/json", "{}", /^Made\.\n\{\}$/],
  [
    "text/plain",
    Uint8Array.from([0xff, 0xfe]),
    /^Made\.\n\[The file "f" \(text\/plain, 2 bytes\) is artifact/,
  ],
  ["image/png", "x", /^Made\.\n<image>$/],
  ["audio/wav", "x", /^Made\.\n<audio>$/],
  ["application/pdf", "x", /^Made\.\n<file>$/],
  ["application/zip", "x", /^Made\.\n\[The file "f" \(application\/zip, 1 bytes\) is artifact/],
])(
  "G-T11: a tool's own artifact of type %s is shown as a server's would be",
  async (mediaType, data, words) => {
    const capabilities = { audio: true, documents: true };
    const model = scriptedModel([{ calls: [{ name: "give" }] }, "done"], { capabilities });
    const { shown, artifacts } = await run([file(mediaType, data)], { model });
    expect(textsOf(shown[0])).toMatch(words);
    expect(artifacts).toMatchObject([{ mediaType, name: "f" }]);
  },
);

test("sounds and documents are words for models that do not say that they take them", async () => {
  for (const mediaType of ["audio/wav", "application/pdf"]) {
    const { shown } = await run([file(mediaType, "x")]);
    expect(textsOf(shown[0])).toContain("You cannot see it");
  }
});

test("G-T11: equal bytes are one artifact, whatever brought them, and shown once in a result", async () => {
  const same = Artifact.inline({ data: fromBase64(png) ?? "", mediaType: "image/png" });
  const tools = ["one", "two"].map((name) =>
    giving(name, () => toolSuccess(null, { content: [image, image], artifacts: [same] })),
  );
  const { events, artifacts, shown } = await run(tools);
  expect(created(events)).toHaveLength(1);
  expect(artifacts).toHaveLength(1);
  expect(shown.map((content) => content.length)).toEqual([2, 2]);
});

test("a medium by a URL stays what it is", async () => {
  const part = {
    kind: "image",
    mediaType: "image/png",
    source: { kind: "url", url: "https://h/a.png" },
  } as const;
  const { shown, artifacts } = await run([
    giving("see", () => toolSuccess(null, { content: [part] })),
  ]);
  expect(shown).toEqual([[part]]);
  expect(artifacts).toEqual([]);
});

const huge = `head ${"middle ".repeat(100_000)}🌍 tail`;

test("a huge text is cut for the model, with its end, and is whole for the program", async () => {
  const { shown, artifacts, events, requests } = await run([giving("dump", () => huge)]);
  const text = textsOf(shown[0]);
  expect(text.length).toBeLessThan(41_000);
  expect(text).toMatch(/^head /);
  expect(text).toMatch(/🌍 tail$/);
  expect(text).toContain(
    `660012 of 700012 characters are left out here. The whole is artifact ${artifacts[0]?.id}`,
  );
  expect(artifacts).toMatchObject([{ mediaType: "text/plain", name: "dump.txt" }]);
  expect(await artifacts[0]?.read()).toEqual(utf8.encode(huge));
  expect(events.find((event) => event.kind === "tool-end")).toMatchObject({
    result: { value: huge },
  });
  expect(requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
    ["dump"],
    ["dump", "read_artifact"],
  ]);
});

test("where artifacts or the length of results are set, the tools are the same from the first request", async () => {
  for (const settings of [{ artifacts: {} }, { maxResultCharacters: 1_000 }]) {
    const { requests } = await run([giving("dump", () => huge)], settings);
    for (const { tools } of requests) {
      expect(tools.map(({ name }) => name)).toEqual(["dump", "read_artifact"]);
    }
  }
});

test("many calls of one turn share the room, and each may still say something", async () => {
  const tools = Array.from({ length: 10 }, (_, index) =>
    giving(`dump_${index}`, () => `${index}${huge}`),
  );
  const { shown } = await run(tools);
  for (const content of shown) {
    expect(textsOf(content).length).toBeGreaterThan(8_000);
    expect(textsOf(content).length).toBeLessThan(8_400);
  }
});

test("the model reads a long result part by part, to its end, and parts are not cut again", async () => {
  const read: string[] = [];
  const model = scriptedModel([
    { calls: [{ name: "dump" }] },
    ...Array.from({ length: 4 }, () => (request: ModelRequest) => {
      const last = request.messages.at(-1);
      const text = last?.role === "tool" ? textsOf(last.content[0]?.content) : "";
      const [id = ""] = /sha256-[0-9a-f]{64}/.exec(textsOf(firstResult(request))) ?? [];
      const [, offset] = /go on with offset (\d+)\]/.exec(text) ?? [];
      read.push(text);
      return text.includes("of 2500]\n") && offset === undefined
        ? "done"
        : {
            calls: [
              {
                name: "read_artifact",
                arguments: { id, ...(offset === undefined ? {} : { offset: Number(offset) }) },
              },
            ],
          };
    }),
  ] as [never]);
  const long = "0123456789".repeat(250);
  const { artifacts, text } = await run([giving("dump", () => long)], {
    model,
    maxResultCharacters: 1_000,
  });
  expect(text).toBe("done");
  const parts = read.slice(1).map((part) => part.replace(/^\[.*\]\n/, ""));
  expect(parts.join("")).toBe(long);
  expect(artifacts).toHaveLength(1);
});

const firstResult = ({ messages }: ModelRequest): readonly ResultContent[] =>
  messages
    .flatMap((message) => (message.role === "tool" ? (message.content[0]?.content ?? []) : []))
    .slice(0, 1);

const report = Artifact.deferred({ reference: "report-7", mediaType: "text/plain", name: "r.txt" });
const refId = "ref-";

async function readDeferred(artifacts: ArtifactSettings, artifact = report): Promise<Outcome> {
  const model = scriptedModel([
    { calls: [{ name: "make" }] },
    ({ messages }) => {
      const [id = ""] = /ref-[0-9a-f]{64}/.exec(JSON.stringify(messages)) ?? [];
      return { calls: [{ name: "read_artifact", arguments: { id } }] };
    },
    "done",
  ]);
  const tool = giving("make", () => toolSuccess("Made.", { artifacts: [artifact] }));
  return run([tool], { model, artifacts, actor: "ann" });
}

test("G-T10: a deferred artifact is named, and fetched by the application only when somebody reads it", async () => {
  const asked: unknown[] = [];
  const clock = manualClock(1_000);
  const { events, artifacts, shown } = await readDeferred({
    maxBytes: 100,
    resolve: async (artifact, { binding, maxBytes, deadline, signal }) => {
      asked.push([artifact, binding.run.actor, maxBytes, deadline > clock.now(), signal.aborted]);
      return utf8.encode("The report.");
    },
  });
  expect(textsOf(shown[0])).toMatch(
    /^Made\.\n\[The file "r\.txt" \(text\/plain\) is at report-7, as artifact ref-[0-9a-f]{64}\. Read parts of it with read_artifact\.\]$/,
  );
  expect(textsOf(shown[1])).toBe("[Characters 0 to 11 of 11]\nThe report.");
  expect(asked).toEqual([[report, "ann", 100, true, false]]);
  expect(created(events)).toMatchObject([
    { reference: "report-7", mediaType: "text/plain", name: "r.txt" },
  ]);
  expect(artifacts).toMatchObject([{ id: expect.stringContaining(refId), reference: "report-7" }]);
  expect(await artifacts[0]?.read()).toEqual(utf8.encode("The report."));
});

test.each<[what: string, settings: ArtifactSettings, words: RegExp]>([
  ["no resolver", {}, /nobody can fetch it/],
  [
    "a resolver that refuses",
    {
      resolve: async () => {
        throw new Error("not Ann's");
      },
    },
    /could not be fetched: not Ann's/,
  ],
  ["nothing there", { resolve: async () => undefined }, /is not to be had/],
  [
    "too many bytes",
    { maxBytes: 3, resolve: async () => utf8.encode("1234") },
    /has 4 bytes, more than maxBytes of artifacts \(3\)/,
  ],
  [
    "a resolver that never ends",
    { timeoutMs: 1, resolve: () => new Promise(() => {}) },
    /took longer than timeoutMs of artifacts \(1\)/,
  ],
])("G-T10: with %s the model reads why, and the run goes on", async (_what, settings, words) => {
  const { shown, text } = await readDeferred(settings);
  expect(textsOf(shown[1])).toMatch(words);
  expect(text).toBe("done");
});

test("a size that is said beforehand and too large is not fetched", async () => {
  const artifact = Artifact.deferred({ reference: "x", mediaType: "text/plain", size: 101 });
  const resolve = (): never => {
    throw new Error("asked");
  };
  const { shown } = await readDeferred({ maxBytes: 100, resolve }, artifact);
  expect(textsOf(shown[1])).toContain("has 101 bytes");
});

test("P7: what a run keeps is in the store for its actor, and a later run of theirs can read it", async () => {
  const store = memoryArtifacts();
  const tool = giving("draw", () => toolSuccess("", { content: [image] }));
  await run([tool], { artifacts: { store }, actor: "ann" });
  const { artifacts } = await store.list({ app: "default", actor: "ann" });
  expect(artifacts).toMatchObject([{ id: pngId, toolCallId: "call_1", mediaType: "image/png" }]);
  const reading = (): ScriptedModel =>
    modelOf({ calls: [{ name: "read_artifact", arguments: { id: pngId } }] }, "done");
  const hers = await run([tool], { model: reading(), artifacts: { store }, actor: "ann" });
  expect(textsOf(hers.shown[0])).toBe("<image>");
  for (const actor of ["bob", undefined]) {
    const model = reading();
    const other = await run([tool], {
      model,
      artifacts: { store },
      ...(actor === undefined ? {} : { actor }),
    });
    expect(textsOf(other.shown[0])).toContain(`There is no artifact "${pngId}"`);
  }
});

test("a store that fails is told, and the run keeps what it could not", async () => {
  const store = { put: () => Promise.reject(new Error("disk full")) } as unknown as ArtifactStore;
  const tool = giving("draw", () => toolSuccess("", { content: [image] }));
  const { events, artifacts, text } = await run([tool], { artifacts: { store } });
  expect(noticesOf(events)).toEqual(["artifact-not-stored"]);
  expect(await artifacts[0]?.read()).toEqual(fromBase64(png));
  expect(text).toBe("done");
});

test.each<[limit: string, settings: ArtifactSettings]>([
  ["maxBytes", { maxBytes: 3 }],
  ["maxRunBytes", { maxRunBytes: 3 }],
])("what is over %s is shown and not kept, and that is told", async (limit, settings) => {
  const tool = giving("draw", () => toolSuccess("", { content: [image] }));
  const { events, artifacts, shown } = await run([tool], { artifacts: settings });
  expect(events).toContainEqual(
    expect.objectContaining({ code: "artifact-not-kept", message: expect.stringContaining(limit) }),
  );
  expect(artifacts).toEqual([]);
  expect(shown).toEqual([[image]]);
});

test("a run keeps so many artifacts and no more", async () => {
  const artifacts = ["a", "b", "c"].map((data) =>
    Artifact.inline({ data, mediaType: "text/plain" }),
  );
  const outcome = await run([giving("give", () => toolSuccess("", { artifacts }))], {
    artifacts: { maxRunArtifacts: 2 },
  });
  expect(outcome.artifacts).toHaveLength(2);
  expect(noticesOf(outcome.events)).toEqual(["artifact-not-kept"]);
});

test("an application's own tool of that name stands", async () => {
  const own = giving("read_artifact", () => "own");
  const { requests, shown } = await run([own], { maxResultCharacters: 10 });
  expect(requests[0]?.tools).toHaveLength(1);
  expect(shown).toEqual([[{ kind: "text", text: "own" }]]);
});

test("settings of artifacts that are wrong are refused at once", () => {
  for (const artifacts of [{ maxByte: 1 }, { maxBytes: 0 }, { store: {} }, { resolve: "x" }]) {
    expect(() => agentOf({}, { artifacts: artifacts as ArtifactSettings })).toThrow(/artifacts/);
  }
});

test("whoever has read an artifact may have read a stranger's words", async () => {
  const seen: boolean[] = [];
  const note = ({ tainted }: { readonly tainted: boolean }): "allow" => {
    seen.push(tainted);
    return "allow";
  };
  const model = modelOf(
    { calls: [{ name: "draw" }] },
    { calls: [{ name: "read_artifact", arguments: { id: pngId } }] },
    { calls: [{ name: "draw" }] },
    "done",
  );
  const draw = giving("draw", () => toolSuccess("", { content: [image] }));
  const definition = { model, tools: [draw], approval: { tools: { draw: note } } };
  await agentOf(definition, { artifacts: {} }).ask("Go");
  expect(seen).toEqual([false, true]);
});

test.each(["in a store", "in memory"])(
  "a run that is kept %s tells of a file once, however often it is resumed",
  async (where) => {
    const draw = giving("draw", () => toolSuccess("", { content: [image] }));
    const pay = giving("pay", () => "paid");
    const calls = { calls: [{ name: "draw" }, { id: "c1", name: "pay" }] };
    const approval = { tools: { pay: "ask" } } as const;
    const agent = agentOf({ model: modelOf(calls, "done"), tools: [draw, pay], approval });
    const options = where === "in a store" ? { store: new MemoryRunStore() } : {};
    const first = agent.stream("Hi", options);
    const events = [...(await collect(first))];
    for (const decisions of [{}, { "approval:c1": { kind: "approve" } as const }]) {
      events.push(...(await collect(agent.resumeStream(first.id, { ...options, decisions }))));
    }
    expect(events.at(-1)).toMatchObject({ kind: "run-end", status: "completed" });
    expect(created(events)).toMatchObject([{ id: pngId }]);
  },
);

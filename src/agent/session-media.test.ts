import { expect, test } from "vitest";
import { agentOf, modelOf } from "../../test/agent-fixture.ts";
import { eraseSession, pruneRuns } from "../stores/erase.ts";
import { memoryArtifacts } from "../stores/memory-artifacts.ts";
import { memoryRuns } from "../stores/memory-runs.ts";
import { memorySessions } from "../stores/memory-sessions.ts";
import { unreliableStore } from "../testing/unreliable-store.ts";
import { defineTool } from "../tool/define-tool.ts";
import { toolSuccess } from "../tool/tool-result.ts";
import { wholeMessages } from "./session-media.ts";

const pictureOf = (fill: number) =>
  ({
    kind: "image",
    mediaType: "image/png",
    name: `${fill}.png`,
    source: { kind: "data", base64: Buffer.alloc(30_000, fill).toString("base64") },
  }) as const;

const [asked, shown] = [pictureOf(1), pictureOf(2)];
const key = { app: "default", id: "s", actor: "ada" };
const owner = { app: "default", actor: "ada" };

/** A conversation in which a person and a tool have each shown a picture. */
async function conversation(artifacts = memoryArtifacts()) {
  const stores = { sessions: memorySessions(), runs: memoryRuns() };
  const model = modelOf({ calls: [{ id: "show", name: "show" }] }, "Nice.", "Yes.");
  const show = defineTool({
    name: "show",
    description: "Shows.",
    execute: () => toolSuccess("shown", { content: [shown] }),
  });
  const agent = agentOf({ model, tools: [show] }, { ...stores, artifacts: { store: artifacts } });
  const ask = (text: string, ...more: readonly (typeof asked)[]) =>
    agent.ask([{ kind: "text", text }, ...more], { actor: "ada", session: { id: "s" } });
  expect(await ask("See:", asked)).toMatchObject({ status: "completed" });
  return { ...stores, artifacts, model, ask };
}

test("a session names its media, and a model that goes on with it sees them", async () => {
  const { sessions, artifacts, model, ask } = await conversation();
  const stored = (await sessions.messages(key)).map(({ message }) => message);
  expect(JSON.stringify(stored).length).toBeLessThan(3_000);
  expect(JSON.stringify(stored)).toContain("artifact:sha256-");
  await ask("And now?");
  const sent = JSON.stringify(model.requests.at(-1)?.messages);
  expect(sent).toContain(asked.source.base64);
  expect(sent).toContain(shown.source.base64);
  expect(await wholeMessages(stored, { ...owner, artifacts })).toEqual(
    model.requests.at(-1)?.messages.slice(0, stored.length),
  );
});

test("media of a session outlive its runs, and go with the session", async () => {
  const stores = await conversation();
  const clock = { now: () => Date.now() + 1 };
  expect(await pruneRuns({ app: "default", olderThanMs: 0 }, stores, { clock })).toMatchObject({
    runs: 1,
  });
  await stores.ask("And now?");
  expect(JSON.stringify(stores.model.requests.at(-1))).toContain(asked.source.base64);
  await eraseSession({ app: "default", id: "s" }, stores);
  expect(await stores.artifacts.list(owner)).toEqual({ artifacts: [] });
});

test("a model is told of a medium that is not there any more", async () => {
  const { artifacts, model, ask } = await conversation();
  await artifacts.release(owner, { kind: "owner" });
  expect(await ask("And now?")).toMatchObject({ status: "completed" });
  const sent = JSON.stringify(model.requests.at(-1)?.messages);
  expect(sent).toContain('[image \\"1.png\\", image/png: its bytes, artifact sha256-');
  expect(sent).not.toContain("artifact:");
});

test("media of another actor are not there, though a session names them", async () => {
  const { sessions, artifacts } = await conversation();
  const stored = (await sessions.messages(key)).map(({ message }) => message);
  const [first] = await wholeMessages(stored, { app: "default", actor: "bob", artifacts });
  expect(JSON.stringify(first)).toMatch(/are not there any more/);
});

test("media that cannot be kept stay in the session", async () => {
  const { store, fail } = unreliableStore(memoryArtifacts());
  fail(new Error("no disk"), "put");
  const { sessions } = await conversation(store);
  const stored = JSON.stringify(await sessions.messages(key));
  expect(stored).toContain(asked.source.base64);
  expect(stored).toContain(shown.source.base64);
});

import { expect, test } from "vitest";
import { agentOf, modelOf } from "../../test/agent-fixture.ts";
import { serve } from "../../test/server-fixture.ts";
import { memoryArtifacts } from "../stores/memory-artifacts.ts";
import { memoryRuns } from "../stores/memory-runs.ts";
import { memorySessions } from "../stores/memory-sessions.ts";
import { defineTool } from "../tool/define-tool.ts";
import { toolSuccess } from "../tool/tool-result.ts";

const base64 = Buffer.alloc(30_000, 3).toString("base64");
const long = "y".repeat(300_000);

/** A server whose agent has given a picture and a long text in ada's session "s". */
async function served() {
  const stores = { runs: memoryRuns(), sessions: memorySessions(), files: memoryArtifacts() };
  const { runs, sessions, files } = stores;
  const source = { kind: "data", base64 } as const;
  const show = defineTool({
    name: "show",
    description: "Shows.",
    execute: () =>
      toolSuccess({ long }, { content: [{ kind: "image", mediaType: "image/png", source }] }),
  });
  const model = modelOf({ calls: [{ id: "c", name: "show" }] }, "done");
  const config = { runs, sessions, artifacts: { store: files } };
  const options = { actor: "ada", session: { id: "s" } };
  const result = await agentOf({ model, tools: [show] }, config).ask("Go", options);
  expect(result).toMatchObject({ status: "completed" });
  return { ...stores, server: await serve({ model }, { config }), id: result.runId };
}

test("events and messages come whole over HTTP, though the stores name what is large", async () => {
  const { server, id, runs, sessions } = await served();
  await using _ = server;
  const key = { app: "default", id };
  expect(JSON.stringify(await runs.events(key)).length).toBeLessThan(10_000);
  expect(JSON.stringify(await sessions.messages({ ...key, id: "s" }))).not.toContain(base64);
  for (const accept of ["application/json", "text/event-stream"]) {
    const events = await server.ask(`/runs/${id}/events`, { headers: { accept } });
    const text = await events.text();
    expect(text).toContain(base64);
    expect(text).toContain(long);
  }
  expect(await (await server.ask("/sessions/s/messages")).text()).toContain(base64);
});

test("a session that is deleted over HTTP takes its runs and all that they hold", async () => {
  const { server, files, runs } = await served();
  await using _ = server;
  expect((await files.list({ app: "default", actor: "ada" })).artifacts.length).toBeGreaterThan(1);
  expect((await server.ask("/sessions/s", { method: "DELETE" })).status).toBe(204);
  expect(await files.list({ app: "default", actor: "ada" })).toEqual({ artifacts: [] });
  expect((await runs.list({ app: "default" })).runs).toEqual([]);
});

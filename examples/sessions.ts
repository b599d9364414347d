import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDragoman, defineTool } from "dragoman";
import { postgresSessions, sqliteSessions } from "dragoman/stores";
import { scriptedModel } from "dragoman/testing";

const folder = await mkdtemp(join(tmpdir(), "dragoman-"));
const file = join(folder, "sessions.db");

const countVisits = defineTool({
  name: "count_visits",
  description: "Count how often the caller has asked.",
  async execute(_input, { binding }) {
    const { session } = binding.run;
    const visits = Number((await session?.getState("visits")) ?? 0) + 1;
    await session?.setState("visits", visits);
    return { visits };
  },
});

// A scripted model stands for a real one, so that this example runs without a key.
const call = { calls: [{ name: "count_visits" }] };
const model = scriptedModel([call, "Your first visit.", call, "Your second visit.", "No."]);

const sessions = sqliteSessions({ file });
const dragoman = createDragoman({ app: "desk", sessions });
const desk = dragoman.defineAgent({ name: "desk", model, tools: [countVisits] });

const session = { id: "ann-2026-11-30" };
await desk.ask("Have I been here before?", { actor: "ann", session });
await desk.ask("And now?", { actor: "ann", session }); // the model sees what was said before

const key = { app: "desk", id: session.id, actor: "ann" };
const messages = await sessions.messages(key, { after: 4 });
console.log(`${messages.length} messages, last:`, messages.at(-1)?.message);
console.log(`ann's visits: ${(await sessions.get(key))?.state["visits"]}`);

const { sessions: recent } = await sessions.list({ app: "desk", actor: "ann", limit: 20 });
console.log(recent.map(({ title, length }) => `${title} (${length})`));

const stranger = await desk.ask("What did Ann say?", { actor: "bob", session });
console.log("bob", stranger.status, stranger.status === "failed" && stranger.error.code);

await sessions.delete(key);
await sessions[Symbol.asyncDispose]();

const connectionString = process.env["DATABASE_URL"] ?? "postgres://localhost/desk";
const shared = postgresSessions({ connectionString }); // connects when it is first used
await shared[Symbol.asyncDispose]();

await rm(folder, { recursive: true });

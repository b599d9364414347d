import { writeSync } from "node:fs";
import type { SessionStore } from "../src/agent/session-store.ts";
import { postgresSessions } from "../src/stores/postgres-sessions.ts";
import { sqliteSessions } from "../src/stores/sqlite-sessions.ts";

// Run as a process of its own: appends groups of three messages to the session "shared", and prints
// the session's length as soon as each is acknowledged.
const [kind, place = "", name = "", groups] = process.argv.slice(2);
const store: SessionStore =
  kind === "sqlite"
    ? sqliteSessions({ file: place })
    : postgresSessions({ connectionString: place });
for (let index = 0; index < Number(groups); index += 1) {
  const length = await store.append(
    { app: "desk", id: "shared" },
    ["a", "b", "c"].map((part) => ({
      role: "user",
      content: [{ kind: "text", text: `${name} ${index} ${part}` }],
    })),
  );
  writeSync(1, `${length}\n`);
}
await store[Symbol.asyncDispose]();

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Assembly } from "../src/agent/assembly.ts";
import { mcpToolset } from "../src/mcp/toolset/mcp-toolset.ts";
import type { Toolset } from "../src/tool/toolset.ts";
import { collect } from "./agent-fixture.ts";
import { type Kind, kinds } from "./assembly-kinds.ts";
import { type Crew, crew } from "./crew.ts";
import type { StdioBehaviour } from "./fixtures/mcp/fake-stdio-server.ts";
import { fakeStdio, referenceServer, runningChildren } from "./fixtures/mcp/servers.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dragoman-crew-"));
  writeFileSync(join(folder, "todo.txt"), "buy milk\n");
  return () => rmSync(folder, { recursive: true });
});

afterEach(() => expect.poll(runningChildren, { timeout: 10_000 }).toEqual([]));

/** The reference servers for files and memory. */
function servers(): Readonly<Record<"files" | "memory", Toolset>> {
  const env = { MEMORY_FILE_PATH: join(folder, "memory.json") };
  return {
    files: mcpToolset({
      name: "files",
      transport: referenceServer("filesystem", { args: [folder] }),
    }),
    memory: mcpToolset({ name: "memory", transport: referenceServer("memory", { env }) }),
  };
}

const read = "Read todo.txt";
const keep = "create an entity Ada of type person";

/** One that reads and one that keeps, both with the offline model, working together. */
function deskOf(kind: Kind, { defineAgent, ...team }: Crew, name = "desk"): Assembly {
  const { files, memory } = servers();
  const model = "offline";
  const reader = defineAgent({ name: "reader", model, mcp: [files] });
  const keeper = defineAgent({ name: "keeper", model, mcp: [memory] });
  const members = [
    { agent: reader, input: read },
    { agent: keeper, input: keep },
  ] as const;
  switch (kind) {
    case "sequence":
      return team.defineSequence({ name, members });
    case "parallel":
      return team.defineParallel({ name, members });
    case "loop":
      return team.defineLoop({ name, members, maxRounds: 1 });
    case "graph":
      return team.defineGraph({
        name,
        nodes: { reader: members[0], keeper: members[1] },
        edges: [{ from: "reader", to: "keeper", when: ({ last }) => last !== undefined }],
        start: "reader",
      });
    case "swarm": {
      const front = defineAgent({ name: "front", model, mcp: [files] });
      return team.defineSwarm({ name, members: [front, keeper], handoffs: { front: ["keeper"] } });
    }
    case "network":
      return team.defineNetwork({
        name,
        config: { mcp: [files, memory] },
        tasks: members.map(({ input }, index) => ({
          agent: defineAgent({ name: ["reader", "keeper"][index] ?? "", model, mcp: "inherit" }),
          input,
          mcp: "inherit",
        })),
      });
    case "workflow":
      return team.defineWorkflow(
        async ({ ask }) => {
          await Promise.all([ask(reader, read), ask(keeper, keep)]);
          return "both";
        },
        { name },
      );
    case "subagents":
      return defineAgent({ name, model, tools: [keeper], mcp: [files] });
  }
}

/** What each is asked; those that pass a task on have to be told so. */
const questions: Partial<Record<Kind, string>> = {
  swarm: `Hand over the task '${keep}' to keeper`,
  subagents: `Hand over the task '${keep}' to keeper`,
};

describe.each(kinds)(
  "a %s with the offline model over real servers",
  (kind) => {
    test("does what each member is asked, and leaves no server behind", async () => {
      const result = await deskOf(kind, crew()).ask(questions[kind] ?? "Go");
      expect(result).toMatchObject({ status: "completed", failedServers: [] });
      expect(readFileSync(join(folder, "memory.json"), "utf8")).toContain('"Ada"');
      const texts = result.participants.map(({ name, result: { text } }) => `${name}: ${text}`);
      const hasRead = kind !== "swarm" && kind !== "subagents";
      expect(texts.join("\n")).toContain(hasRead ? "buy milk" : "keeper: ");
    });
  },
  60_000,
);

test("nested three deep over real servers, each event has its place", async () => {
  const team = crew();
  const inner = deskOf("sequence", team, "inner");
  const middle = team.defineGraph({ name: "middle", nodes: { inner }, edges: [], start: "inner" });
  const outer = team.defineNetwork({ name: "outer", tasks: [middle] });
  const events = await collect(outer.stream("Go"));
  const shown = ["agent-start", "server-connect", "tool-start", "tool-end", "agent-end"];
  expect(
    events.flatMap(({ kind, agentPath }) =>
      shown.includes(kind) ? [`${kind} ${agentPath.join("/")}`] : [],
    ),
  ).toEqual([
    "agent-start outer/middle",
    "agent-start outer/middle/inner",
    "agent-start outer/middle/inner/reader",
    "server-connect outer/middle/inner/reader",
    "tool-start outer/middle/inner/reader",
    "tool-end outer/middle/inner/reader",
    "agent-end outer/middle/inner/reader",
    "agent-start outer/middle/inner/keeper",
    "server-connect outer/middle/inner/keeper",
    "tool-start outer/middle/inner/keeper",
    "tool-end outer/middle/inner/keeper",
    "agent-end outer/middle/inner/keeper",
    "agent-end outer/middle/inner",
    "agent-end outer/middle",
  ]);
}, 60_000);

/** Fifty branches, of which one has a server that does not answer. */
function fifty(team: Crew, behaviour: StdioBehaviour, timeoutMs?: number): readonly object[] {
  const hung = mcpToolset({ name: "hung", transport: fakeStdio(behaviour), timeoutMs: 60_000 });
  return Array.from({ length: 50 }, (_, index) => {
    const hangs = index === 17;
    const calls = [{ name: "hang" }];
    const agent = team.member(`m${index}`, hangs ? [{ calls }, "late"] : "ok", {
      mcp: hangs ? [hung] : [],
    });
    return hangs && timeoutMs !== undefined ? { agent, timeoutMs } : agent;
  });
}

describe.each([
  ["calls", {}],
  ["the handshake", { silent: true }],
])(
  "fifty branches with one server that hangs in %s",
  (_, behaviour: StdioBehaviour) => {
    test("end at the run's deadline", async () => {
      const team = crew();
      const members = fifty(team, behaviour) as Assembly[];
      const before = performance.now();
      const result = await team
        .defineParallel({ name: "fifty", members, onFailure: "collect" })
        .ask("Go", { timeoutMs: 3_000 });
      expect(performance.now() - before).toBeLessThan(8_000); // the server's end is waited for
      expect(result).toMatchObject({ status: "failed", error: { code: "deadline-exceeded" } });
      expect(
        result.participants.filter(({ result: { status } }) => status === "completed").length,
      ).toBe(49);
    });

    test("give 49 answers where that one has a time of its own", async () => {
      const team = crew();
      const members = fifty(team, behaviour, 2_000) as Assembly[];
      const result = await team
        .defineParallel({ name: "fifty", members, onFailure: "collect" })
        .ask("Go", { timeoutMs: 30_000 });
      expect(result).toMatchObject({
        status: "completed",
        output: { m16: { status: "completed" }, m17: { error: { code: "deadline-exceeded" } } },
      });
    });
  },
  60_000,
);

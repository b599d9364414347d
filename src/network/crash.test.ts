import { expect, test } from "vitest";
import { working } from "../../test/assembly-kinds.ts";
import { type Crew, crew } from "../../test/crew.ts";
import { MortalStore } from "../../test/mortal-store.ts";
import { allEnds, nestedOf, workPaths } from "../../test/nested-assembly.ts";
import type { Assembly } from "../agent/assembly.ts";
import type { RunResult } from "../agent/run-result.ts";
import { defineTool } from "../tool/define-tool.ts";

const key = (id: string) => ({ app: "default", id });

const put = defineTool({
  name: "put",
  description: "Puts.",
  execute: (_input, { binding }) =>
    binding.run.memory?.set(`key ${binding.run.memory.keys().length}`, "there"),
});

/** A call that was in flight is made again. */
async function confirmed(
  assembly: Assembly,
  runId: string,
  store: MortalStore,
): Promise<RunResult> {
  let result = await assembly.resume(runId, { store });
  while (result.status === "suspended") {
    const decisions = Object.fromEntries(
      result.waitingFor.map(({ id }) => [id, { kind: "approve" }] as const),
    );
    result = await assembly.resume(runId, { store, decisions });
  }
  return result;
}

/** Ends the process at each write in turn, resumes, and looks. @returns how many writes there are. */
async function atEachWrite(
  make: (team: Crew) => Assembly,
  look: (result: RunResult, store: MortalStore) => void | Promise<void>,
): Promise<number> {
  for (let writes = 0; ; writes += 1) {
    const assembly = make(crew());
    const store = new MortalStore(writes);
    const { runId, status } = await assembly.ask("Go", { store });
    store.revive();
    if (status === "completed") {
      return writes;
    }
    await look(await confirmed(assembly, runId, store), store);
  }
}

test("memory that a tool has set outlives the process, and hinders nobody", async () => {
  const writes = await atEachWrite(
    (team) => team.member("boss", working("put", "done"), { tools: [put] }),
    (result) => expect(result).toMatchObject({ status: "completed", text: "done" }),
  );
  expect(writes).toBeGreaterThan(3);
});

test("members may be called as steps are", async () => {
  const names = ["memory", "now", "end", "a/b", "a|b", "__proto__"];
  const writes = await atEachWrite(
    (team) => {
      const members = names.map((name) =>
        team.member(name, working("put", name), { tools: [put] }),
      );
      return team.defineWorkflow(
        async ({ ask, memory, now }) => {
          const said: string[] = [];
          for (const member of members) {
            said.push((await ask(member, "Put")).text);
            await now();
          }
          await memory.set("last", "x");
          return said.join();
        },
        { name: "flow" },
      );
    },
    (result) => expect(result).toMatchObject({ status: "completed", text: names.join() }),
  );
  expect(writes).toBeGreaterThan(25);
});

test("a nested assembly whose process ends at any write ends as it would have, and does nothing twice", async () => {
  let log: string[] = [];
  const writes = await atEachWrite(
    (team) => {
      log = [];
      const work = defineTool({
        name: "work",
        description: "Works.",
        idempotent: true,
        execute: (_input, { binding }) => log.push(binding.run.agentPath.join("/")),
      });
      return nestedOf(team, work);
    },
    async (result, store) => {
      expect(result).toMatchObject({ status: "completed", text: "summed up" });
      // What was in flight when the process ended is done again, and nothing else.
      expect(log.length).toBeLessThanOrEqual(workPaths.length + 2);
      expect([...new Set(log)].toSorted()).toEqual([...new Set(workPaths)].toSorted());
      const events = await store.events(key(result.runId));
      const ends = events.flatMap((event) =>
        event.kind === "agent-end" || event.kind === "tool-end" || event.kind === "run-end"
          ? [`${event.kind} ${event.agentPath.join("/")}`]
          : [],
      );
      expect(ends.toSorted()).toEqual(allEnds.toSorted());
    },
  );
  expect(writes).toBeGreaterThan(30);
});

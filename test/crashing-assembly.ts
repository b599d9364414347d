import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { RunResult } from "../src/agent/run-result.ts";
import { sqliteRuns } from "../src/stores/sqlite-runs.ts";
import { defineTool } from "../src/tool/define-tool.ts";
import { crew } from "./crew.ts";
import { nestedOf } from "./nested-assembly.ts";

// Run as a process of its own: begins a nested assembly, or goes on with the given run, and kills itself
// in the middle of the first call that none before it has made. Writes each call to a file, and its id
// and how it ended to its standard output.
const [file = "", log = "", runId] = process.argv.slice(2);
const before = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];

const work = defineTool({
  name: "work",
  description: "Works.",
  idempotent: true,
  execute(_input, { binding, idempotencyKey }) {
    const line = `${binding.run.agentPath.join("/")} ${idempotencyKey.replace(/^run_[^:]*/, "")}`;
    appendFileSync(log, `${line}\n`);
    if (!before.includes(line)) {
      process.kill(process.pid, "SIGKILL");
    }
    return "worked";
  },
});

const store = sqliteRuns({ file });
const assembly = nestedOf(crew(), work);
const run =
  runId === undefined ? assembly.stream("Go", { store }) : assembly.resumeStream(runId, { store });
process.stdout.write(`${run.id}\n`);
const result: RunResult = await run.result;
process.stdout.write(`${result.status} ${result.text}\n`);
await store[Symbol.asyncDispose]();

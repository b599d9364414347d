/**
 * `npm run bench:discovery -- [--servers FILE] [--tasks FILE] [--scorer NAME]` measures how well tools
 * and servers are found for tasks, and ends with one line of figures.
 *
 * The data is that of LiveMCPBench (icip-cas/LiveMCPBench, Apache-2.0), looked for beside the checkout:
 * `{ servers: [{ name, description, tools: [{ name, description, inputSchema }] }] }` and
 * `[{ question, steps: [text], tools: [name] }]`.
 */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { ScorerChoice } from "../src/tool/scorer.ts";
import { type DiscoveryData, measureDiscovery, type ServerList } from "./discovery-measures.ts";
import { formatTable } from "./format-table.ts";

const { values } = parseArgs({
  options: {
    servers: { type: "string", default: besideCheckout("servers.json") },
    tasks: { type: "string", default: besideCheckout("tasks.json") },
    scorer: { type: "string", default: "bm25f" },
  },
});
process.exitCode = await run(values);

async function run(options: typeof values): Promise<0 | 2> {
  const missing = [options.servers, options.tasks].find((file) => !existsSync(file));
  if (missing !== undefined) {
    console.error(`There is no ${missing}. Say where the data is: --servers FILE --tasks FILE.`);
    return 2;
  }
  if (!isScorer(options.scorer)) {
    console.error(`There is no scorer "${options.scorer}"; there is: bm25f, tf-cosine.`);
    return 2;
  }
  const { servers } = readJson(options.servers) as ServerList; // the shape above
  const tasks = readJson(options.tasks) as DiscoveryData["tasks"];
  const { recalls, coverage, serversChosen, promptShare, queryMs } = await measureDiscovery(
    { servers, tasks },
    options.scorer,
  );
  const toolCount = servers.reduce((sum, { tools }) => sum + tools.length, 0);
  console.log(
    `${servers.length} servers, ${toolCount} tools, ${tasks.length} tasks; scorer ${options.scorer}\n`,
  );
  console.log(
    formatTable([
      ["share of the needed tools among the best", "10", "20"],
      ["by the question", recalls.question[10].toFixed(3), recalls.question[20].toFixed(3)],
      ["by the steps", recalls.steps[10].toFixed(3), recalls.steps[20].toFixed(3)],
    ]),
  );
  console.log(
    `\nquestion@20=${recalls.question[20].toFixed(3)} steps@10=${recalls.steps[10].toFixed(3)} coverage=${coverage.toFixed(3)} servers=${serversChosen.toFixed(1)} prompt_share=${promptShare.toFixed(4)} query_ms=${queryMs.toFixed(2)}`,
  );
  return 0;
}

function besideCheckout(file: string): string {
  return fileURLToPath(new URL(`../../shared/data/livemcp/${file}`, import.meta.url));
}

function isScorer(name: string): name is ScorerChoice & string {
  return name === "bm25f" || name === "tf-cosine";
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}

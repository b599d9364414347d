import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Benchmark, BenchmarkReport } from "./benchmark.ts";
import { measureInterleaved, ratioOfMedians, summarize } from "./statistics.ts";

/** What importing the package costs a fresh process, beside the AI SDK and a process that imports nothing. */
export const benchmark: Benchmark = {
  description:
    "One import in a fresh Node process, in turns; wall clock and CPU time around the import alone.",
  run: measureImports,
};

const rounds = 15;

/** Ours is to take less than this share of what the AI SDK takes. */
const targetRatio = 0.25;

const subjects = ["dragoman", "ai", "nothing"] as const;
type Subject = (typeof subjects)[number];

const addresses: Readonly<Record<Subject, string>> = {
  dragoman: new URL("../dist/index.js", import.meta.url).href,
  ai: import.meta.resolve("ai"),
  nothing: "data:text/javascript,",
};

/** Milliseconds. */
interface ImportTime {
  readonly wall: number;
  readonly cpu: number;
}

async function measureImports(): Promise<BenchmarkReport> {
  const times = await measureInterleaved(subjects, rounds, importOnce);
  const column = (subject: Subject, figure: keyof ImportTime): readonly number[] =>
    times[subject].map((time) => time[figure]);
  const rows = (["wall", "cpu"] as const).flatMap((figure) =>
    subjects.map((subject) => {
      const { min, median, max } = summarize(column(subject, figure));
      const ratio = ratioOfMedians(column(subject, figure), column("ai", figure));
      return [
        `${subject}, ${figure}`,
        ...[min, median, max].map((milliseconds) => milliseconds.toFixed(1)),
        ratio.toFixed(2),
      ];
    }),
  );
  const ratio = ratioOfMedians(column("dragoman", "cpu"), column("ai", "cpu"));
  return {
    table: [["import", "min ms", "median ms", "max ms", "of ai"], ...rows],
    claims: [
      {
        text: `import "dragoman" takes less than a quarter of the CPU time that import "ai" takes: ${ratio.toFixed(2)}`,
        holds: ratio < targetRatio,
      },
    ],
  };
}

/** Runs in the measured process: nothing but what both figures need. */
const program = `
const cpuBefore = process.cpuUsage();
const before = performance.now();
await import(process.argv[1]);
const wall = performance.now() - before;
const { user, system } = process.cpuUsage(cpuBefore);
console.log(JSON.stringify({ wall, cpu: (user + system) / 1000 }));
`;

async function importOnce(subject: Subject): Promise<ImportTime> {
  const { NODE_OPTIONS: _, NODE_COMPILE_CACHE: __, ...env } = process.env; // either would change what is measured
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "--eval", program, addresses[subject]],
    { env, cwd: fileURLToPath(new URL(".", import.meta.url)) },
  );
  return JSON.parse(stdout) as ImportTime; // the program above wrote it
}

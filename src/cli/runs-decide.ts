import { refuseLateDecisions } from "../agent/decisions.ts";
import type { Decision } from "../agent/waiting.ts";
import { parseJson } from "../base/json.ts";
import { CliError } from "./cli-error.ts";
import type { CliStreams } from "./cli-streams.ts";
import { openQuestions, runDocument, waitingLine } from "./describe-run.ts";
import type { ExitCode } from "./exit-code.ts";
import type { RunsOptions } from "./runs-group.ts";
import { terminalLine } from "./terminal-text.ts";
import { demandRun, runKeyOf, withRunStore } from "./with-run-store.ts";

/** What somebody decides for a run. */
interface RunDecision {
  readonly id: string;
  /** The ids of what is decided; none where the run waits for one thing only. */
  readonly waiting: readonly string[];
  readonly decision: Decision;
}

/** `dragoman runs approve` and `deny`: the first decision stands, and a second is told so. */
export function runsDecide(
  { id, waiting, decision }: RunDecision,
  options: RunsOptions,
  streams: CliStreams,
): Promise<ExitCode> {
  return withRunStore(options, streams, async (store) => {
    const found = await demandRun(store, id, options);
    const open = openQuestions(found);
    if (waiting.length === 0 && open.length !== 1) {
      throw new CliError(
        open.length === 0
          ? `Run ${id} waits for no decision: it is ${found.status}.`
          : `Run ${id} waits for ${open.length} decisions; name those that you make:\n${open.map(waitingLine).join("\n")}`,
        { code: "invalid-usage" },
      );
    }
    const ids = waiting.length === 0 ? open.map((one) => one.id) : waiting;
    const decisions = Object.fromEntries(ids.map((one) => [one, decision]));
    refuseLateDecisions(found, decisions, Date.now());
    const run = await store.decide(runKeyOf(id, options), decisions);
    const left = openQuestions(run);
    const lines = [
      `Decided: ${terminalLine(`${decision.kind} ${ids.join(", ")}`, 1_000)}`,
      ...left.map((one) => `It waits still for ${waitingLine(one)}`),
      "The run goes on when an executor notices, or when it is resumed.",
    ];
    return { document: { run: runDocument(run) }, text: lines.join("\n"), exitCode: 0 };
  });
}

/** `dragoman runs answer`. */
export function runsAnswer(
  { id, waiting, value }: { readonly id: string; readonly waiting: string; readonly value: string },
  options: RunsOptions,
  streams: CliStreams,
): Promise<ExitCode> {
  const answer = parseJson(value);
  if (answer === undefined) {
    return withRunStore(options, streams, () =>
      Promise.reject(
        new CliError(`The answer is not JSON: write a text in quotation marks, as in '"yes"'.`, {
          code: "invalid-usage",
        }),
      ),
    );
  }
  const decision = { kind: "answer", value: answer } as const;
  return runsDecide({ id, waiting: [waiting], decision }, options, streams);
}

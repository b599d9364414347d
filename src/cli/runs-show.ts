import type { RunEvent } from "../agent/run-event.ts";
import type { RunRecord, StepRecord } from "../agent/run-store.ts";
import { wholeEvent } from "../agent/whole-event.ts";
import { toJson } from "../base/json.ts";
import type { CliStreams } from "./cli-streams.ts";
import { openQuestions, runDocument, runLine, waitingLine } from "./describe-run.ts";
import type { ExitCode } from "./exit-code.ts";
import { openArtifactStore } from "./run-store-argument.ts";
import type { RunsShowOptions } from "./runs-group.ts";
import { jsonText, terminalLine, terminalText } from "./terminal-text.ts";
import { demandRun, runKeyOf, withRunStore } from "./with-run-store.ts";

/** `dragoman runs show`: how a run stands, its steps, what it waits for, and its events if wanted. */
export function runsShow(
  id: string,
  options: RunsShowOptions,
  streams: CliStreams,
): Promise<ExitCode> {
  return withRunStore(options, streams, async (store) => {
    const run = await demandRun(store, id, options);
    const key = runKeyOf(id, options);
    const steps = await store.steps(key);
    const kept = options.events === true ? await store.events(key) : undefined;
    const events = kept && (await wholeEvents(kept, run, { options, streams }));
    return {
      document: {
        run: runDocument(run),
        steps: toJson(steps),
        ...(events === undefined ? {} : { events: toJson(events) }),
      },
      text: [...runLines(run), ...steps.map(stepLine), ...(events ?? []).map(eventLine)].join("\n"),
      exitCode: 0,
    };
  });
}

/** Large results are in the same database, or an application has them elsewhere: then they are named. */
async function wholeEvents(
  events: readonly RunEvent[],
  { app, actor }: RunRecord,
  { options, streams }: { readonly options: RunsShowOptions; readonly streams: CliStreams },
): Promise<readonly RunEvent[]> {
  await using artifacts = await openArtifactStore(options.store, streams.env);
  const owner = actor === undefined ? { app } : { app, actor };
  const whole: RunEvent[] = [];
  for (const event of events) {
    whole.push(await wholeEvent(event, { ...owner, artifacts }));
  }
  return whole;
}

function runLines(run: RunRecord): readonly string[] {
  const { text = "", error, ready } = run;
  return [
    runLine(run),
    ...(text === "" ? [] : [`  ${terminalText(text).replaceAll("\n", "\n  ")}`]),
    ...(error === undefined ? [] : [`  ${error.code}: ${terminalLine(error.message, 1_000)}`]),
    ...openQuestions(run).map((waiting) => `? ${waitingLine(waiting)}`),
    ...(run.status === "suspended" && ready ? ["  Something was decided: resume it."] : []),
  ];
}

const stepLine = (step: StepRecord): string =>
  step.kind === "finished"
    ? `  ✓ ${terminalLine(step.key, 100)}`
    : `  … ${terminalLine(step.key, 100)} (begun ${step.tries}×)`;

function eventLine({ sequence, kind, time, agentPath, runId: _, ...rest }: RunEvent): string {
  const what = terminalLine(jsonText(toJson(rest)), 200);
  return `  ${String(sequence).padStart(6)}  ${new Date(time).toISOString()}  ${kind}  ${what}`;
}

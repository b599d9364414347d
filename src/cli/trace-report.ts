import { styleText } from "node:util";
import { type RecordedSpan, SpanRecorder } from "../otel/span-recorder.ts";
import type { CliStreams } from "./cli-streams.ts";
import { terminalLine } from "./terminal-text.ts";

/** How spans are printed. */
export type TraceFormat = "tree" | "json";

/** Keeps the spans of runs, and prints them on standard error. */
export interface TraceReport {
  readonly recorder: SpanRecorder;
  /** Prints all that have ended. */
  print(): void;
}

/** As a tree with durations, or each span as a line of JSON, in the order in which they began. */
export function traceReport(format: TraceFormat, { stderr }: CliStreams): TraceReport {
  const spans: RecordedSpan[] = [];
  return {
    recorder: new SpanRecorder((span) => spans.push(span)),
    print() {
      const inOrder = spans.toSorted((one, other) => one.startTime - other.startTime);
      const lines =
        format === "json" ? inOrder.map((span) => JSON.stringify(toJsonSpan(span))) : tree(inOrder);
      stderr.write(lines.map((line) => `${line}\n`).join(""));
    },
  };
}

/** What an exporter would be given, under names that a shell reads easily. */
const toJsonSpan = ({ parentSpanId, startTime, durationMs, ...span }: RecordedSpan): object => ({
  ...span,
  parent: parentSpanId ?? null,
  startTime: new Date(startTime).toISOString(),
  durationMs: Math.round(durationMs * 1_000) / 1_000,
});

function tree(spans: readonly RecordedSpan[]): readonly string[] {
  const known = new Set(spans.map(({ spanId }) => spanId));
  const below = (parent: string | undefined): readonly RecordedSpan[] =>
    spans.filter(({ parentSpanId = "" }) =>
      parent === undefined ? !known.has(parentSpanId) : parentSpanId === parent,
    );
  const linesOf = (span: RecordedSpan, indent: string): readonly string[] => [
    lineOf(span, indent),
    ...below(span.spanId).flatMap((inner) => linesOf(inner, `${indent}  `)),
  ];
  return below(undefined).flatMap((span) => linesOf(span, ""));
}

function lineOf({ name, durationMs, status, attributes, events }: RecordedSpan, indent: string) {
  const retries = events.filter((event) => event.name === "dragoman.retry").length;
  const facts = [
    duration(durationMs),
    ...(status === "error" ? [`error ${attributes["error.type"]}`] : []),
    ...outcomeIn(attributes),
    ...tokensIn(attributes),
    ...(retries === 0 ? [] : [`${retries} retries`]),
  ].join(", ");
  const color = status === "error" ? "red" : "dim";
  return `${indent}${terminalLine(name, 120)} ${styleText(color, terminalLine(facts, 200))}`;
}

function outcomeIn({ "dragoman.run.outcome": outcome }: RecordedSpan["attributes"]) {
  return typeof outcome === "string" && !/^(completed|failed)$/.test(outcome) ? [outcome] : [];
}

function tokensIn(attributes: RecordedSpan["attributes"]): readonly string[] {
  const [input, output] = ["input", "output"].map((of) => attributes[`gen_ai.usage.${of}_tokens`]);
  return input === undefined ? [] : [`${input} > ${output} tokens`];
}

const duration = (ms: number): string =>
  ms < 1_000 ? `${ms.toFixed(ms < 10 ? 1 : 0)} ms` : `${(ms / 1_000).toFixed(2)} s`;

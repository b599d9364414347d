import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ProgressLine } from "../chat/tool-row.tsx";
import { Disclosure } from "../pieces/disclosure.tsx";
import { formatDuration } from "../pieces/format.ts";
import { Icon, type IconName } from "../pieces/icon.tsx";
import { LongText } from "../pieces/long-text.tsx";
import { Failure } from "../pieces/notice.tsx";
import { usageText } from "./run-list.tsx";
import type { RowKind, RunTimeline, TimelineRow } from "./run-timeline.ts";
import { type TimeScale, timeScale } from "./time-scale.ts";

/** As many rows are laid out at once. */
const pageLength = 300;

/**
 * What took how long in a run, one under the other; each row opens. The times in which it only waited for
 * somebody take no room.
 *
 * @param mark changes when the timeline does.
 */
export function Waterfall({
  timeline,
  mark,
}: {
  readonly timeline: RunTimeline;
  readonly mark: unknown;
}): VNode {
  const [length, setLength] = useState(pageLength);
  const now = useNow(timeline.end === undefined && timeline.start !== undefined);
  void mark;
  const scale = timeScale(timeline, now);
  const { rows } = timeline;
  if (rows.length === 0) {
    return <p class="hint">Nothing yet.</p>;
  }
  return (
    <>
      <p class="hint tabular waterfall-sum">
        {`${formatDuration(scale.activeMs)} at work`}
        {scale.waitedMs > 0 && `, ${formatDuration(scale.waitedMs)} waiting for somebody`}
      </p>
      <ol class="waterfall">
        {rows.slice(0, length).map((row) => (
          <li key={row.id}>
            <Row row={row} scale={scale} now={now} start={timeline.start ?? row.start} />
          </li>
        ))}
      </ol>
      {rows.length > length && (
        <p class="earlier">
          <button
            type="button"
            class="small"
            onClick={() => setLength((count) => count + pageLength)}
          >
            {`Show more (${rows.length - length} left)`}
          </button>
        </p>
      )}
    </>
  );
}

/** The time, twice a second while something goes on. */
function useNow(isGoingOn: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isGoingOn) {
      return;
    }
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [isGoingOn]);
  return now;
}

const icons: Readonly<Record<RowKind, IconName>> = {
  agent: "agent",
  model: "thought",
  tool: "tool",
  wait: "clock",
  server: "server",
  note: "check",
};

function Row({
  row,
  scale,
  now,
  start,
}: {
  readonly row: TimelineRow;
  readonly scale: TimeScale;
  readonly now: number;
  readonly start: number;
}): VNode {
  const { kind, label, detail, depth, status } = row;
  const end = row.end ?? (status === "running" ? now : row.start);
  const from = scale.at(row.start);
  const width = scale.at(end) - from;
  const isMoment = row.end === row.start;
  const took = isMoment ? `+${formatDuration(row.start - start)}` : formatDuration(end - row.start);
  return (
    <Disclosure
      class={`waterfall-row of-${kind} is-${status}`}
      summary={
        <>
          <span class="row-label" style={{ paddingInlineStart: `${Math.min(depth, 6) * 14}px` }}>
            <Icon name={icons[kind]} />
            <span class="row-name">{label}</span>
            {detail !== undefined && <span class="hint">{detail}</span>}
            {status === "failed" && <span class="visually-hidden">failed</span>}
          </span>
          <span class="row-track" aria-hidden="true">
            <span
              class={isMoment ? "row-moment" : "row-bar"}
              style={{ left: `${from * 100}%`, ...(isMoment ? {} : { width: `${width * 100}%` }) }}
            />
          </span>
          <span class="row-took hint tabular">
            {row.end === undefined && status === "waiting" ? "–" : took}
          </span>
        </>
      }
    >
      {() => <RowDetails row={row} />}
    </Disclosure>
  );
}

function RowDetails({ row }: { readonly row: TimelineRow }): VNode {
  const { arguments: given, text, reasoning, data, progress, usage, error } = row;
  const isBare = [given, text, reasoning, data, progress, usage, error].every(
    (one) => one === undefined,
  );
  return (
    <>
      {isBare && <p class="hint">{row.label}</p>}
      {usage !== undefined && <p class="hint tabular">{`Tokens in / out: ${usageText(usage)}`}</p>}
      {error !== undefined && <Failure code={error.code} message={error.message} />}
      {given !== undefined && (
        <>
          <p class="part-label">Arguments</p>
          <LongText text={JSON.stringify(given, null, 2)} label="Arguments" />
        </>
      )}
      {reasoning !== undefined && (
        <>
          <p class="part-label">Reasoning</p>
          <LongText text={reasoning} label="Reasoning" />
        </>
      )}
      {text !== undefined && text !== "" && (
        <>
          <p class="part-label">{row.kind === "tool" ? "Result" : "Text"}</p>
          <LongText text={text} label="Text" />
        </>
      )}
      {progress !== undefined && <ProgressLine progress={progress} />}
      {data !== undefined && <LongText text={JSON.stringify(data, null, 2)} label="Data" />}
    </>
  );
}

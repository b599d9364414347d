import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { RunEvent } from "../../src/agent/run-event.ts";
import type { RunRecord } from "../../src/agent/run-store.ts";
import type { Decision } from "../../src/agent/waiting.ts";
import type { ServerDescription } from "../../src/server/workbench-routes.ts";
import { userText } from "../chat/from-messages.ts";
import { fromWaiting } from "../chat/question.ts";
import { Questions } from "../chat/question-card.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { BackLink } from "../pieces/back-link.tsx";
import { RunBadge } from "../pieces/badge.tsx";
import { CopyButton } from "../pieces/copy-button.tsx";
import { formatTime } from "../pieces/format.ts";
import { LongText, prettyJson } from "../pieces/long-text.tsx";
import { ErrorNotice, Failure } from "../pieces/notice.tsx";
import { formatRoute } from "../pieces/route.ts";
import { useLoaded } from "../pieces/use-loaded.ts";
import { ask, getJson, post } from "../wire/api.ts";
import { EventList } from "./event-list.tsx";
import { agentName, isByHand, usageText } from "./run-list.tsx";
import { useRunEvents } from "./use-run-events.ts";
import { Waterfall } from "./waterfall.tsx";

/** One run: what it was asked, how it stands, what happened in it, while it happens. */
export function RunDetails({
  id,
  server,
}: {
  readonly id: string;
  readonly server: ServerDescription;
}): VNode {
  const path = `/runs/${encodeURIComponent(id)}`;
  const record = useLoaded(`run ${id}`, (signal) => getJson<RunRecord>(path, { signal }));
  const { events, timeline, error } = useRunEvents(id);
  const [problem, setProblem] = useState<Error | undefined>();
  const newest = events.findLast(({ kind }) => /^run-/.test(kind))?.sequence;
  const { reload } = record;
  useEffect(reload, [newest]);
  const attempt = (work: Promise<unknown>): void => {
    setProblem(undefined);
    work.then(reload, (thrown: Error) => setProblem(thrown));
  };
  const run = record.value;
  if (run === undefined) {
    return (
      <div class="page wide">
        <BackLink to={{ page: "runs" }} label="Runs" isAlways />
        {record.error !== undefined ? (
          <ErrorNotice error={record.error} onRetry={reload} />
        ) : (
          <p class="hint">Loading…</p>
        )}
      </div>
    );
  }
  return (
    <div class="page wide">
      <BackLink to={{ page: "runs" }} label="Runs" isAlways />
      <Head
        run={run}
        server={server}
        onCancel={() => attempt(ask(`${path}/cancel`, { method: "POST" }))}
        onResume={() => attempt(post(`${path}/resume`, {}))}
      />
      {problem !== undefined && <ErrorNotice error={problem} />}
      {run.status === "suspended" && run.waitingFor.length > 0 && (
        <Questions
          key={run.waitingFor.map((waiting) => waiting.id).join()}
          questions={run.waitingFor.map(fromWaiting)}
          isBusy={false}
          onDecide={(decisions: Readonly<Record<string, Decision>>) =>
            attempt(post(`${path}/resume`, { decisions }))
          }
        />
      )}
      <Asked run={run} />
      {error !== undefined && <ErrorNotice error={error} />}
      <Happened events={events} timeline={timeline} />
    </div>
  );
}

function Head({
  run,
  server,
  onCancel,
  onResume,
}: {
  readonly run: RunRecord;
  readonly server: ServerDescription;
  onCancel(): void;
  onResume(): void;
}): VNode {
  const { id, agent, status, createdAt, session, usage, ready } = run;
  const isOpen = status === "running" || status === "suspended";
  return (
    <>
      <header class="page-head">
        <h1>{agentName(agent)}</h1>
        {isByHand(agent) && <span class="hint">a call by hand</span>}
        <RunBadge status={status} />
        <span class="push row">
          {ready && server.runs.kind === "store" && (
            <button type="button" class="small" onClick={onResume}>
              Go on
            </button>
          )}
          {isOpen && (
            <button type="button" class="small" onClick={onCancel}>
              Cancel
            </button>
          )}
        </span>
      </header>
      <dl class="facts inline">
        <dt>Run</dt>
        <dd class="row">
          <code class="break">{id}</code>
          <CopyButton text={id} />
        </dd>
        <dt>Began</dt>
        <dd>{formatTime(createdAt)}</dd>
        {usage !== undefined && (
          <>
            <dt>Tokens in / out</dt>
            <dd class="tabular">{usageText(usage)}</dd>
          </>
        )}
        {session !== undefined && (
          <>
            <dt>Conversation</dt>
            <dd>
              <a class="break" href={formatRoute({ page: "chat", agent, session })}>
                {session}
              </a>
            </dd>
          </>
        )}
      </dl>
    </>
  );
}

function Asked({ run }: { readonly run: RunRecord }): VNode {
  const { input, text = "", output, error, status } = run;
  const asked = typeof input === "string" ? input : userText(input);
  return (
    <>
      <section class="block">
        <h2>Asked</h2>
        <LongText text={prettyJson(asked)} label="What was asked" />
      </section>
      {error !== undefined && <Failure code={error.code} message={error.message} />}
      {text !== "" && status !== "suspended" && (
        <section class="block">
          <h2>{status === "completed" ? "Answer" : "Text so far"}</h2>
          <Markdown text={text} />
        </section>
      )}
      {output !== undefined && (
        <section class="block">
          <h2>Typed answer</h2>
          <LongText text={JSON.stringify(output, null, 2)} label="Typed answer" />
        </section>
      )}
    </>
  );
}

function Happened({
  events,
  timeline,
}: {
  readonly events: readonly RunEvent[];
  readonly timeline: ReturnType<typeof useRunEvents>["timeline"];
}): VNode {
  const [view, setView] = useState<"timeline" | "events">("timeline");
  return (
    <section class="block">
      <div class="block-head">
        <h2>What happened</h2>
        <fieldset class="segments push" aria-label="View">
          {(["timeline", "events"] as const).map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={view === one}
              onClick={() => setView(one)}
            >
              {one === "timeline" ? "Timeline" : `Events (${events.length})`}
            </button>
          ))}
        </fieldset>
      </div>
      {view === "timeline" ? (
        <Waterfall timeline={timeline} mark={events} />
      ) : (
        <EventList events={events} />
      )}
    </section>
  );
}

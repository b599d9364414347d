import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { RunRecord } from "../../src/agent/run-store.ts";
import type { Decision } from "../../src/agent/waiting.ts";
import type { JsonObject } from "../../src/base/json.ts";
import type { DescribedTool } from "../../src/server/agent-tools.ts";
import { Questions } from "../chat/question-card.tsx";
import { ResultParts } from "../chat/result-parts.tsx";
import { ProgressLine } from "../chat/tool-row.tsx";
import { SchemaForm } from "../forms/schema-form.tsx";
import { RunBadge } from "../pieces/badge.tsx";
import { formatDuration } from "../pieces/format.ts";
import { Icon } from "../pieces/icon.tsx";
import { ErrorNotice, Failure } from "../pieces/notice.tsx";
import { formatRoute } from "../pieces/route.ts";
import { post } from "../wire/api.ts";
import { followRun } from "../wire/follow-run.ts";
import { newTrial, type Trial, takeTrialEvent } from "./trial.ts";

/** A tool is called by hand, as its agent would call it: with its servers and its approval. */
export function ToolTrial({
  agent,
  tool: { name, inputSchema },
}: {
  readonly agent: string;
  readonly tool: DescribedTool;
}): VNode {
  const [trial, setTrial] = useState<Trial | undefined>();
  const [problem, setProblem] = useState<Error | undefined>();
  const following = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => following.current?.abort(), []);

  const follow = async (runId: string): Promise<void> => {
    following.current?.abort();
    const leaving = new AbortController();
    following.current = leaving;
    const { signal } = leaving;
    for await (const event of followRun(runId, { after: 0, signal })) {
      setTrial((known) => known && takeTrialEvent(known, event));
    }
  };
  const attempt = (work: () => Promise<void>): void => {
    setProblem(undefined);
    work().catch((error: Error) => error.name !== "AbortError" && setProblem(error));
  };
  const call = (given: JsonObject): void =>
    attempt(async () => {
      const path = `/agents/${encodeURIComponent(agent)}/tools/${encodeURIComponent(name)}/calls`;
      const { id } = (await (await post(path, { arguments: given })).json()) as RunRecord; // as the route says
      setTrial(newTrial(id));
      await follow(id);
    });
  const decide = (decisions: Readonly<Record<string, Decision>>): void =>
    attempt(async () => {
      // What comes of it is read where the run is followed.
      await post(`/runs/${encodeURIComponent(trial?.runId ?? "")}/resume`, { decisions });
    });
  return (
    <section class="block trial">
      <h2>Try it</h2>
      <p class="hint">
        {`The call is made as ${agent} makes it, with its servers and its approval. It is a run that you find under Runs.`}
      </p>
      <SchemaForm
        schema={inputSchema as JsonObject /* plain JSON, by its definition */}
        submitLabel="Call the tool"
        isBusy={trial?.status === "running"}
        onSubmit={call}
      />
      {problem !== undefined && <ErrorNotice error={problem} />}
      {trial !== undefined && <Outcome trial={trial} onDecide={decide} />}
    </section>
  );
}

function Outcome({
  trial,
  onDecide,
}: {
  readonly trial: Trial;
  onDecide(decisions: Readonly<Record<string, Decision>>): void;
}): VNode {
  const { runId, status, tookMs, questions, progress, result, error } = trial;
  return (
    <div class="outcome" aria-live="polite">
      <p class="row">
        <RunBadge status={result?.isError ? "failed" : status} />
        {tookMs !== undefined && <span class="hint tabular">{formatDuration(tookMs)}</span>}
        <a class="push" href={formatRoute({ page: "runs", run: runId })}>
          See the run <Icon name="chevron" />
        </a>
      </p>
      {progress !== undefined && result === undefined && <ProgressLine progress={progress} />}
      {questions.length > 0 && (
        <Questions
          key={questions.map(({ id }) => id).join()}
          questions={questions}
          isBusy={status === "running"}
          onDecide={onDecide}
        />
      )}
      {error !== undefined && <Failure {...error} />}
      {result !== undefined && (
        <>
          {result.code !== undefined && <code>{result.code}</code>}
          <ResultParts parts={result.parts} files={result.files} show="text" />
          <ResultParts parts={result.parts} files={result.files} show="media" />
        </>
      )}
    </div>
  );
}

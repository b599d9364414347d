import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { RunRecord, RunStatus } from "../../src/agent/run-store.ts";
import type { Usage } from "../../src/model/usage.ts";
import type { AgentSummary } from "../../src/server/agent-routes.ts";
import type { ServerDescription } from "../../src/server/workbench-routes.ts";
import { userText } from "../chat/from-messages.ts";
import { RunBadge } from "../pieces/badge.tsx";
import { formatDuration, formatTime } from "../pieces/format.ts";
import { Empty, ErrorNotice } from "../pieces/notice.tsx";
import { formatRoute } from "../pieces/route.ts";
import { useLoaded } from "../pieces/use-loaded.ts";
import { getJson } from "../wire/api.ts";

const everyMs = 2_000;
const pageLength = 50;

const statuses: readonly (readonly [RunStatus | "", string])[] = [
  ["", "All"],
  ["running", "Running"],
  ["suspended", "Waiting"],
  ["completed", "Completed"],
  ["failed", "Failed"],
  ["cancelled", "Cancelled"],
];

/** All runs, the last changed first, with what they are looked for by. */
export function RunList({
  agents,
  server,
}: {
  readonly agents: readonly AgentSummary[];
  readonly server: ServerDescription;
}): VNode {
  const [status, setStatus] = useState<RunStatus | "">("");
  const [agent, setAgent] = useState("");
  const [words, setWords] = useState("");
  const [pages, setPages] = useState(1);
  const limit = Math.min(1_000, pages * pageLength);
  const query = new URLSearchParams({ limit: String(limit), ...(status && { status }) });
  const list = useLoaded(
    `runs ${query}`,
    (signal) =>
      getJson<{ readonly runs: readonly RunRecord[]; readonly next?: string }>(`/runs?${query}`, {
        signal,
      }),
    everyMs,
  );
  const runs = (list.value?.runs ?? []).filter((run) => fits(run, agent, words));
  return (
    <div class="page wide">
      <header class="page-head">
        <h1>Runs</h1>
      </header>
      <StoreNote server={server} />
      <div class="filters">
        <fieldset class="segments" aria-label="Status">
          {statuses.map(([value, label]) => (
            <button
              key={label}
              type="button"
              aria-pressed={status === value}
              onClick={() => setStatus(value)}
            >
              {label}
            </button>
          ))}
        </fieldset>
        {agents.length > 1 && (
          <select
            aria-label="Agent"
            value={agent}
            onChange={(event) => setAgent(event.currentTarget.value)}
          >
            <option value="">All agents</option>
            {agents.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        )}
        <input
          type="search"
          class="filter"
          placeholder="Filter by words, id or session"
          aria-label="Filter the runs"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      </div>
      {list.error !== undefined && <ErrorNotice error={list.error} onRetry={list.reload} />}
      {list.value !== undefined && runs.length === 0 && (
        <Empty title="No runs">
          <p>
            {status === "" && words === "" && agent === ""
              ? "What an agent is asked is a run: ask one under Chat."
              : "None fits what is looked for."}
          </p>
        </Empty>
      )}
      {runs.length > 0 && <Table runs={runs} />}
      {list.value?.next !== undefined && limit < 1_000 && (
        <p class="earlier">
          <button type="button" class="small" onClick={() => setPages((count) => count + 1)}>
            Show more
          </button>
        </p>
      )}
    </div>
  );
}

/** Says what must be configured for runs to be kept. */
function StoreNote({ server: { runs } }: { readonly server: ServerDescription }): VNode | null {
  return runs.kind === "store" ? null : (
    <p class="note">
      <span>
        {`No store is configured: the last ${runs.most} runs are kept in memory, and gone when the server ends. `}
        Give it one by <code>dragoman serve --store runs.db</code>, or{" "}
        <code>createServer({"{ store: sqliteRuns(…) }"})</code>.
      </span>
    </p>
  );
}

function fits(run: RunRecord, agent: string, words: string): boolean {
  const { id, session = "", text = "", agent: name } = run;
  if (agent !== "" && name !== agent && !name.startsWith(`${agent}/`)) {
    return false;
  }
  const all = `${id} ${session} ${name} ${inputText(run)} ${text}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

/** What a run was asked, as text; of a call by hand the tool and its arguments. */
function inputText({ agent, input }: Pick<RunRecord, "agent" | "input">): string {
  const text = typeof input === "string" ? input : userText(input);
  const call = isByHand(agent) ? callIn(text) : undefined;
  return call === undefined ? text : `${call.tool} ${JSON.stringify(call.arguments)}`;
}

/** Whether a run is a call by hand: its agent is then the agent's bench. */
export const isByHand = (agent: string): boolean => agent.endsWith("/tools");

function callIn(text: string): { readonly tool: string; readonly arguments: unknown } | undefined {
  try {
    const call = JSON.parse(text) as { readonly tool?: unknown; readonly arguments?: unknown }; // looked at below
    return typeof call.tool === "string"
      ? { tool: call.tool, arguments: call.arguments }
      : undefined;
  } catch {
    return undefined;
  }
}

/** `"1,204 / 96"`. */
export const usageText = ({ inputTokens, outputTokens }: Usage): string =>
  `${inputTokens.toLocaleString("en")} / ${outputTokens.toLocaleString("en")}`;

/** The agent whose run it is, also where its tools were called by hand. */
export const agentName = (agent: string): string =>
  isByHand(agent) ? agent.slice(0, -"/tools".length) : agent;

function Table({ runs }: { readonly runs: readonly RunRecord[] }): VNode {
  return (
    <table class="runs">
      <thead>
        <tr>
          <th>Asked</th>
          <th>Agent</th>
          <th>Status</th>
          <th class="number">Began</th>
          <th class="number">Took</th>
          <th class="number">Tokens in / out</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <Row key={run.id} run={run} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ run }: { readonly run: RunRecord }): VNode {
  const { id, agent, status, createdAt, updatedAt, usage } = run;
  const isOver = status !== "running" && status !== "suspended";
  return (
    <tr>
      <td class="asked">
        <a href={formatRoute({ page: "runs", run: id })}>{inputText(run).slice(0, 300) || id}</a>
      </td>
      <td class="agent">
        {agentName(agent)}
        {isByHand(agent) && <span class="hint"> by hand</span>}
      </td>
      <td class="status">
        <RunBadge status={status} />
      </td>
      <td class="number began">{formatTime(createdAt)}</td>
      <td class="number took">{isOver ? formatDuration(updatedAt - createdAt) : "–"}</td>
      <td class="number tokens">{usage === undefined ? "–" : usageText(usage)}</td>
    </tr>
  );
}

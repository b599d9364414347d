import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { AgentSummary } from "../../src/server/agent-routes.ts";
import type { DescribedTool, DescribedTools } from "../../src/server/agent-tools.ts";
import { go } from "../pieces/go.ts";
import { Empty, ErrorNotice } from "../pieces/notice.tsx";
import { formatRoute } from "../pieces/route.ts";
import { useLoaded } from "../pieces/use-loaded.ts";
import { getJson } from "../wire/api.ts";
import { ToolDetails } from "./tool-details.tsx";

/** The tools of an agent, and one of them. */
export function ToolsPage({
  agent: wanted,
  tool: wantedTool,
  agents,
}: {
  readonly agent: string | undefined;
  readonly tool: string | undefined;
  readonly agents: readonly AgentSummary[];
}): VNode {
  const agent = wanted ?? agents[0]?.name ?? "";
  const [words, setWords] = useState("");
  const found = useLoaded(`tools ${agent}`, (signal) =>
    getJson<DescribedTools>(`/agents/${encodeURIComponent(agent)}/tools`, { signal }),
  );
  const all = found.value?.tools ?? [];
  const listed = all.filter((tool) => fits(tool, words));
  const shown = wantedTool === undefined ? listed[0] : all.find(({ name }) => name === wantedTool);
  return (
    <div class={`panes ${wantedTool === undefined ? "show-list" : "show-main"}`}>
      <aside class="pane-list" aria-label="Tools">
        <div class="pane-head">
          <h2>Tools</h2>
          {agents.length > 1 && (
            <label class="push">
              <span class="visually-hidden">Of the agent</span>
              <select
                value={agent}
                onChange={(event) => go({ page: "tools", agent: event.currentTarget.value })}
              >
                {agents.map(({ name }) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </label>
          )}
        </div>
        <input
          class="filter"
          type="search"
          placeholder="Filter by name, server or words"
          aria-label="Filter the tools"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        {found.value === undefined && found.isLoading && <p class="pane-note">Connecting…</p>}
        {found.error !== undefined && <ErrorNotice error={found.error} onRetry={found.reload} />}
        {found.value !== undefined && listed.length === 0 && (
          <p class="pane-note">
            {all.length === 0 ? "This agent has no tools." : "No tool fits these words."}
          </p>
        )}
        <ul class="choice-list">
          {listed.map((tool) => (
            <ToolEntry key={tool.name} agent={agent} tool={tool} isCurrent={tool === shown} />
          ))}
        </ul>
      </aside>
      <section class="pane-main scrolls" aria-label="Tool">
        {shown !== undefined ? (
          <ToolDetails
            key={`${agent} ${shown.name}`}
            agent={agent}
            tool={shown}
            server={found.value?.servers.find(({ name }) => name === shown.server)}
          />
        ) : (
          found.value !== undefined && (
            <Empty
              title={wantedTool === undefined ? "No tools" : `There is no tool "${wantedTool}"`}
            />
          )
        )}
      </section>
    </div>
  );
}

function ToolEntry({
  agent,
  tool: { name, server, description },
  isCurrent,
}: {
  readonly agent: string;
  readonly tool: DescribedTool;
  readonly isCurrent: boolean;
}): VNode {
  return (
    <li>
      <a
        href={formatRoute({ page: "tools", agent, tool: name })}
        aria-current={isCurrent ? "page" : undefined}
      >
        <span class="choice-title mono">{name}</span>
        <span class="hint clamp">
          {server !== undefined && <strong>{server} </strong>}
          {description}
        </span>
      </a>
    </li>
  );
}

/** Whether all words are somewhere in what a tool says of itself. */
function fits(
  { name, title = "", server = "", description }: DescribedTool,
  words: string,
): boolean {
  const text = `${name} ${title} ${server} ${description}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

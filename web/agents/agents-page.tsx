import type { VNode } from "preact";
import type { AgentSummary } from "../../src/server/agent-routes.ts";
import { Empty } from "../pieces/notice.tsx";
import { formatRoute } from "../pieces/route.ts";
import { AgentDetails } from "./agent-details.tsx";

/** The agents, and one of them. */
export function AgentsPage({
  agent,
  agents,
}: {
  readonly agent: string | undefined;
  readonly agents: readonly AgentSummary[];
}): VNode {
  const known = agents.find(({ name }) => name === agent);
  const shown = known ?? (agent === undefined ? agents[0] : undefined);
  return (
    <div class={`panes ${agent === undefined ? "show-list" : "show-main"}`}>
      <aside class="pane-list" aria-label="Agents">
        <div class="pane-head">
          <h2>Agents</h2>
        </div>
        <ul class="choice-list">
          {agents.map(({ name, description }) => (
            <li key={name}>
              <a
                href={formatRoute({ page: "agents", agent: name })}
                aria-current={name === shown?.name ? "page" : undefined}
              >
                <span class="choice-title">{name}</span>
                {description !== undefined && <span class="hint clamp">{description}</span>}
              </a>
            </li>
          ))}
        </ul>
      </aside>
      <section class="pane-main scrolls" aria-label="Agent">
        {shown === undefined ? (
          <Empty title={`There is no agent "${agent ?? ""}"`} />
        ) : (
          <AgentDetails key={shown.name} summary={shown} />
        )}
      </section>
    </div>
  );
}

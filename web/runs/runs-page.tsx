import type { VNode } from "preact";
import type { AgentSummary } from "../../src/server/agent-routes.ts";
import type { ServerDescription } from "../../src/server/workbench-routes.ts";
import { RunDetails } from "./run-details.tsx";
import { RunList } from "./run-list.tsx";

/** The runs, or one of them. */
export function RunsPage({
  run,
  agents,
  server,
}: {
  readonly run: string | undefined;
  readonly agents: readonly AgentSummary[];
  readonly server: ServerDescription;
}): VNode {
  return (
    <section class="pane-main scrolls" aria-label="Runs">
      {run === undefined ? (
        <RunList agents={agents} server={server} />
      ) : (
        <RunDetails key={run} id={run} server={server} />
      )}
    </section>
  );
}

import type { VNode } from "preact";
import type { Json, JsonObject } from "../../src/base/json.ts";
import type { AgentSummary } from "../../src/server/agent-routes.ts";
import type { AgentDescription } from "../../src/server/describe-agent.ts";
import type { DescribedAgent } from "../../src/server/workbench-routes.ts";
import { BackLink } from "../pieces/back-link.tsx";
import { Badge } from "../pieces/badge.tsx";
import { LongText } from "../pieces/long-text.tsx";
import { ErrorNotice } from "../pieces/notice.tsx";
import { formatRoute } from "../pieces/route.ts";
import { useLoaded } from "../pieces/use-loaded.ts";
import { getJson } from "../wire/api.ts";
import { AgentServers } from "./agent-servers.tsx";

/** All that there is to know of one agent. */
export function AgentDetails({ summary }: { readonly summary: AgentSummary }): VNode {
  const { name, description } = summary;
  const path = `/agents/${encodeURIComponent(name)}`;
  const definition = useLoaded(`definition ${name}`, (signal) =>
    getJson<DescribedAgent>(`${path}/definition`, { signal }),
  );
  return (
    <div class="page">
      <BackLink to={{ page: "agents" }} label="Agents" />
      <header class="page-head">
        <h1>{name}</h1>
        <a class="button" href={formatRoute({ page: "chat", agent: name })}>
          Chat
        </a>
      </header>
      {description !== undefined && <p class="lead">{description}</p>}
      {definition.error !== undefined && (
        <ErrorNotice error={definition.error} onRetry={definition.reload} />
      )}
      {definition.value?.kind === "assembly" && (
        <p class="note">Several agents as one. Their work is shown in its runs.</p>
      )}
      {definition.value?.kind === "agent" && (
        <>
          <Definition agent={definition.value} />
          <AgentServers agent={name} />
        </>
      )}
    </div>
  );
}

function Definition({ agent }: { readonly agent: AgentDescription }): VNode {
  const { model, modelReason, mode, fallbackModels, hasTypedOutput } = agent;
  const { approval, discovery, limits } = agent;
  return (
    <>
      <section class="block">
        <h2>Model</h2>
        <dl class="facts">
          <dt>Model</dt>
          <dd>{model === undefined ? <Badge tone="bad">none</Badge> : <code>{model}</code>}</dd>
          <dt>Why</dt>
          <dd class="lines">{modelReason}</dd>
          {fallbackModels.length > 0 && (
            <>
              <dt>If it fails</dt>
              <dd>{fallbackModels.join(", then ")}</dd>
            </>
          )}
          <dt>Mode</dt>
          <dd>
            {mode}
            {hasTypedOutput && ", with a typed answer"}
          </dd>
        </dl>
      </section>
      <section class="block">
        <h2>Instructions</h2>
        <Instructions agent={agent} />
      </section>
      <section class="block">
        <h2>Rules</h2>
        <dl class="facts">
          <dt>Approval</dt>
          <dd>{approval === undefined ? "Every call is made." : <Rules value={approval} />}</dd>
          <dt>Discovery</dt>
          <dd>
            {discovery === undefined ? (
              "Off: all servers are connected, and all tools are shown to the model."
            ) : (
              <Chosen discovery={discovery} />
            )}
          </dd>
          {limits !== undefined && (
            <>
              <dt>Limits</dt>
              <dd>
                <Rules value={limits} />
              </dd>
            </>
          )}
        </dl>
      </section>
    </>
  );
}

function Instructions({ agent: { instructions } }: { readonly agent: AgentDescription }): VNode {
  switch (instructions.kind) {
    case "none":
      return <p class="hint">It is told nothing but what you say.</p>;
    case "text":
      return <LongText text={instructions.text} label="Instructions" />;
    case "function":
      return (
        <>
          <p class="hint">A function makes them for each run. For you it gives now:</p>
          {instructions.error === undefined ? (
            <LongText text={instructions.text ?? ""} label="Instructions" />
          ) : (
            <p class="fault">{instructions.error}</p>
          )}
        </>
      );
  }
}

/** What discovery chooses, in words. */
function Chosen({ discovery: { servers, tools } }: { readonly discovery: JsonObject }): VNode {
  const lines = [
    servers === false || servers === undefined
      ? "All servers are connected."
      : `Only the servers that a message is for are connected${settings(servers)}.`,
    tools === undefined
      ? "All their tools are shown to the model."
      : `The model is shown the best tools and finds others by find_tools${settings(tools)}.`,
  ];
  return (
    <ul class="plain-list">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

/** `" (limit 12, scorer bm25f)"`. */
function settings(value: Json): string {
  const told =
    typeof value === "object" && value !== null
      ? Object.entries(value).filter(([, one]) => one !== "default")
      : [];
  return told.length === 0
    ? ""
    : ` (${told.map(([key, one]) => `${key} ${String(one)}`).join(", ")})`;
}

/** `default: ask`, `tools: refund ask, search allow`. */
function Rules({ value }: { readonly value: JsonObject }): VNode {
  const lines = Object.entries(value).flatMap(([key, rule]): readonly string[] => {
    if (typeof rule !== "object" || rule === null) {
      return [`${key}: ${String(rule)}`];
    }
    const parts = Object.entries(rule).map(([name, one]) => `${name} ${String(one)}`);
    return parts.length === 0 ? [] : [`${key}: ${parts.join(", ")}`];
  });
  return (
    <ul class="plain-list">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

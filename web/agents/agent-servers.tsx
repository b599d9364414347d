import type { VNode } from "preact";
import type { JsonObject } from "../../src/base/json.ts";
import type {
  DescribedServer,
  DescribedTool,
  DescribedTools,
} from "../../src/server/agent-tools.ts";
import { Badge } from "../pieces/badge.tsx";
import { formatCount } from "../pieces/format.ts";
import { Icon } from "../pieces/icon.tsx";
import { ErrorNotice } from "../pieces/notice.tsx";
import { formatRoute } from "../pieces/route.ts";
import { useLoaded } from "../pieces/use-loaded.ts";
import { getJson } from "../wire/api.ts";

/** The servers of an agent as they stand now, and the tools that it has. */
export function AgentServers({ agent }: { readonly agent: string }): VNode {
  const found = useLoaded(`tools ${agent}`, (signal) =>
    getJson<DescribedTools>(`/agents/${encodeURIComponent(agent)}/tools`, { signal }),
  );
  const { value, error, reload, isLoading } = found;
  return (
    <section class="block">
      <div class="block-head">
        <h2>Servers and tools</h2>
        <button type="button" class="small" onClick={reload} disabled={isLoading}>
          <Icon name="retry" />
          Look again
        </button>
      </div>
      {error !== undefined && <ErrorNotice error={error} onRetry={reload} />}
      {value === undefined && isLoading && <p class="hint">Connecting…</p>}
      {value !== undefined && <Found agent={agent} found={value} />}
    </section>
  );
}

function Found({
  agent,
  found: { servers, tools },
}: {
  readonly agent: string;
  readonly found: DescribedTools;
}): VNode {
  const own = tools.filter(({ server }) => server === undefined);
  return (
    <>
      {servers.length === 0 && <p class="hint">It has no MCP servers.</p>}
      {servers.map((server) => (
        <ServerCard
          key={server.name}
          agent={agent}
          server={server}
          tools={tools.filter((tool) => tool.server === server.name)}
        />
      ))}
      {own.length > 0 && (
        <article class="card">
          <header class="card-head">
            <h3>The application's own tools</h3>
          </header>
          <ToolLinks agent={agent} tools={own} />
        </article>
      )}
    </>
  );
}

function ServerCard({
  agent,
  server,
  tools,
}: {
  readonly agent: string;
  readonly server: DescribedServer;
  readonly tools: readonly DescribedTool[];
}): VNode {
  const { name, description, status, error, serverInfo, transport } = server;
  return (
    <article class="card">
      <header class="card-head">
        <Icon name="server" />
        <h3>{name}</h3>
        <Badge tone={status === "connected" ? "good" : "bad"}>{status}</Badge>
        <span class="hint push">{status === "connected" && formatCount(tools.length, "tool")}</span>
      </header>
      {description !== undefined && <p>{description}</p>}
      {error !== undefined && (
        <p class="fault">
          {error.message} <code>{error.code}</code>
        </p>
      )}
      {(serverInfo !== undefined || transport !== undefined) && (
        <p class="hint break">
          {serverInfo !== undefined && `${serverInfo.name} ${serverInfo.version}`}
          {serverInfo !== undefined && transport !== undefined && " · "}
          {transport !== undefined && transportText(transport)}
        </p>
      )}
      <ToolLinks agent={agent} tools={tools} />
    </article>
  );
}

/** A command, or a type and an address. */
function transportText({ type, url, command, args }: JsonObject): string {
  const words = [command, ...(Array.isArray(args) ? args : [])];
  return command === undefined ? `${String(type)} ${String(url)}` : words.map(String).join(" ");
}

function ToolLinks({
  agent,
  tools,
}: {
  readonly agent: string;
  readonly tools: readonly DescribedTool[];
}): VNode {
  return (
    <ul class="chips">
      {tools.map(({ name, description }) => (
        <li key={name}>
          <a
            class="chip"
            href={formatRoute({ page: "tools", agent, tool: name })}
            title={description}
          >
            {name}
          </a>
        </li>
      ))}
    </ul>
  );
}

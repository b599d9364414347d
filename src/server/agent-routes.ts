import type { AgUiHandler } from "../ag-ui/create-ag-ui-handler.ts";
import { createAgUiHandler } from "../ag-ui/create-ag-ui-handler.ts";
import type { Caller } from "../ag-ui/handler-options.ts";
import { Refusal } from "../ag-ui/refusal.ts";
import type { Agent } from "../agent/agent.ts";
import type { Assembly } from "../agent/assembly.ts";
import type { AvailableTool } from "../agent/explain.ts";
import type { LiveAgent } from "../agent/live-agent.ts";
import type { FailedServer } from "../agent/run-failure.ts";
import { notFound, whose } from "./owned.ts";
import type { Place } from "./places.ts";
import type { AgUiOptions } from "./server-options.ts";
import type { Routes, ServerScope } from "./server-scope.ts";

/** The agents: which there are, what they can do, and AG-UI for each of them. */
export function addAgentRoutes(
  routes: Routes,
  { places }: ServerScope,
  handlerOf: (name: string) => AgUiHandler,
): void {
  const placeOf = (name: string): Place => {
    const place = places.find(name);
    if (place === undefined) {
      throw notFound("agent");
    }
    return place;
  };
  routes.get("/agents", (context) => context.json(places.all.map(({ agent }) => describe(agent))));
  routes.get("/agents/:name", (context) =>
    context.json(describe(placeOf(context.req.param("name")).agent)),
  );
  routes.get("/agents/:name/tools", async (context) => {
    const { given } = placeOf(context.req.param("name"));
    return context.json(await toolsOf(given, context.get("caller"), context.req.raw.signal));
  });
  routes.all("/agents/:name/ag-ui", (context) =>
    handlerOf(placeOf(context.req.param("name")).agent.name)(context.req.raw),
  );
}

/** The AG-UI endpoint of an agent, which keeps its runs where the server does. */
export function agUiHandlerOf(
  { agent, runs, sessions }: Place,
  {
    options,
    maxBytes,
    callerOf,
  }: {
    readonly options: AgUiOptions | undefined;
    readonly maxBytes: number;
    readonly callerOf: (request: Request) => Caller | undefined;
  },
): AgUiHandler {
  return createAgUiHandler(agent, {
    ...options,
    authenticate: callerOf,
    runs,
    ...(sessions === undefined ? {} : { sessions }),
    limits: { maxBytes },
  });
}

/** What a list of agents tells of one. */
interface AgentSummary {
  readonly name: string;
  readonly description?: string;
  /** Where AG-UI clients reach it. */
  readonly agUi: string;
}

function describe({ name, description }: Assembly): AgentSummary {
  const agUi = `/agents/${encodeURIComponent(name)}/ag-ui`;
  return { name, ...(description === undefined ? {} : { description }), agUi };
}

/** What an agent can do now, and which of its servers it must do without. */
interface AgentTools {
  readonly tools: readonly AvailableTool[];
  /** Those whose tools are there, and those that cannot be used. */
  readonly servers: readonly (
    | { readonly name: string; readonly status: "connected"; readonly tools: number }
    | { readonly name: string; readonly status: "failed"; readonly error: FailedServer["error"] }
  )[];
}

/** A live agent's servers are asked as they are; others are connected for it and left again. */
async function toolsOf(
  assembly: Assembly,
  caller: Caller,
  signal: AbortSignal,
): Promise<AgentTools> {
  const options = { ...whose(caller), context: caller.context, signal };
  if (isLive(assembly)) {
    return stateOf(await assembly.availableTools(options), assembly.failedServers);
  }
  if (isAgent(assembly)) {
    await using live = await assembly.start(options);
    return stateOf(await live.availableTools(), live.failedServers);
  }
  throw new Refusal("Several agents as one have no tools of their own; ask for one of them.", {
    status: 404,
    code: "not-found",
  });
}

function stateOf(
  tools: readonly AvailableTool[],
  failedServers: readonly FailedServer[],
): AgentTools {
  const names = new Set(tools.flatMap(({ server }) => server ?? []));
  const connected = [...names].map((name) => ({
    name,
    status: "connected" as const,
    tools: tools.filter(({ server }) => server === name).length,
  }));
  const failed = failedServers.map(({ name, error }) => ({
    name,
    status: "failed" as const,
    error,
  }));
  return { tools, servers: [...connected, ...failed] };
}

const isLive = (assembly: Assembly): assembly is LiveAgent => "failedServers" in assembly;

const isAgent = (assembly: Assembly): assembly is Agent => "start" in assembly;

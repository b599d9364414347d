import type { AgUiHandler } from "../ag-ui/create-ag-ui-handler.ts";
import { createAgUiHandler } from "../ag-ui/create-ag-ui-handler.ts";
import type { Caller } from "../ag-ui/handler-options.ts";
import type { Assembly } from "../agent/assembly.ts";
import { describeTools } from "./agent-tools.ts";
import { notFound } from "./owned.ts";
import type { Place, Places } from "./places.ts";
import type { AgUiOptions } from "./server-options.ts";
import type { Routes, ServerScope } from "./server-scope.ts";

/** The agents: which there are, what they can do, and AG-UI for each of them. */
export function addAgentRoutes(
  routes: Routes,
  { places }: ServerScope,
  handlerOf: (name: string) => AgUiHandler,
): void {
  routes.get("/agents", (context) => context.json(places.all.map(({ agent }) => describe(agent))));
  routes.get("/agents/:name", (context) =>
    context.json(describe(agentPlace(places, context.req.param("name")).agent)),
  );
  routes.get("/agents/:name/tools", async (context) => {
    const place = agentPlace(places, context.req.param("name"));
    return context.json(await describeTools(place, context.get("caller"), context.req.raw.signal));
  });
  routes.all("/agents/:name/ag-ui", (context) =>
    handlerOf(agentPlace(places, context.req.param("name")).agent.name)(context.req.raw),
  );
}

/** @throws Refusal 404. */
export function agentPlace(places: Places, name: string): Place {
  const place = places.find(name);
  if (place === undefined) {
    throw notFound("agent");
  }
  return place;
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
export interface AgentSummary {
  readonly name: string;
  readonly description?: string;
  /** Where AG-UI clients reach it. */
  readonly agUi: string;
}

function describe({ name, description }: Assembly): AgentSummary {
  const agUi = `/agents/${encodeURIComponent(name)}/ag-ui`;
  return { name, ...(description === undefined ? {} : { description }), agUi };
}

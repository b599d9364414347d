import { readBody } from "../ag-ui/read-body.ts";
import { invalidInput } from "../ag-ui/refusal.ts";
import { settingsOf } from "../agent/agent.ts";
import { RunError } from "../agent/run-error.ts";
import type { RunRecord } from "../agent/run-store.ts";
import { benchInput } from "../agent/tool-bench.ts";
import { isJsonObject, type JsonObject, parseJson } from "../base/json.ts";
import { version } from "../base/version.ts";
import { agentPlace } from "./agent-routes.ts";
import { type AgentDescription, describeAgent } from "./describe-agent.ts";
import { notFound, whose } from "./owned.ts";
import { mostRunsInMemory, type Place } from "./places.ts";
import type { Routes, ServerScope } from "./server-scope.ts";

/** What a server keeps, so that a front end can say what is not to be had. */
export interface ServerDescription {
  readonly version: string;
  /** Whether conversations are kept. */
  readonly sessions: boolean;
  readonly runs:
    | { readonly kind: "store" }
    /** Gone when the process ends, and no more than so many. */
    | { readonly kind: "memory"; readonly most: number };
  /** Whether files of results can be fetched. */
  readonly artifacts: boolean;
  /** Whether a run goes on when the page that reads it is closed. */
  readonly outlivesReaders: boolean;
}

/** An agent, or several as one, of which there is nothing more to say. */
export type DescribedAgent =
  | ({ readonly kind: "agent" } & AgentDescription)
  | { readonly kind: "assembly"; readonly name: string; readonly description?: string };

/** What the routes of the workbench need besides what all have. */
export interface WorkbenchOptions {
  readonly outlivesReaders: boolean;
  /** Whether they are served; else they are not there. */
  isOpen(): boolean;
}

/**
 * What only a developer should see and do: how agents are made, and calls of their tools by hand. There
 * where the web UI is.
 */
export function addWorkbenchRoutes(
  routes: Routes,
  scope: ServerScope,
  { isOpen, outlivesReaders }: WorkbenchOptions,
): void {
  const { places } = scope;
  const refuseClosed = (): void => {
    if (!isOpen()) {
      throw notFound("address");
    }
  };
  routes.get("/server", (context) => {
    refuseClosed();
    return context.json({ ...describeServer(places.all), outlivesReaders });
  });
  routes.get("/agents/:name/definition", async (context) => {
    refuseClosed();
    const { given } = agentPlace(places, context.req.param("name"));
    const { context: own, ...rest } = context.get("caller");
    const { signal } = context.req.raw;
    const options = { ...whose(rest), context: own, signal };
    return context.json(await describe(given, options));
  });
  routes.post("/agents/:name/tools/:tool/calls", async (context) => {
    refuseClosed();
    const { agent } = agentPlace(places, context.req.param("name"));
    const bench = places.findBench(agent.name);
    if (bench === undefined) {
      throw notFound("agent with tools of its own");
    }
    const given = await argumentsOf(context.req.raw, scope);
    const caller = context.get("caller");
    const { app, runs } = bench;
    const run = bench.agent.stream(
      benchInput({ tool: context.req.param("tool"), arguments: given }),
      { ...whose(caller), context: caller.context, store: runs },
    );
    const record = await begun(run, () => runs.get({ app, id: run.id }));
    return context.json(record, 202, { location: `/runs/${run.id}` });
  });
}

/** @returns the run's record once it is kept. @throws what it failed with before it began. */
async function begun(
  run: ReturnType<Place["agent"]["stream"]>,
  recordNow: () => Promise<RunRecord | undefined>,
): Promise<RunRecord> {
  for await (const _ of run) {
    const record = await recordNow();
    if (record !== undefined) {
      return record;
    }
  }
  const result = await run.result;
  throw result.status === "failed"
    ? result.cause
    : new RunError(`Run ${run.id} was not kept.`, { code: "run-conflict" });
}

async function describe(
  given: Place["given"],
  options: Parameters<typeof settingsOf>[1],
): Promise<DescribedAgent> {
  const { name, description } = given;
  return "availableTools" in given
    ? { kind: "agent", ...(await describeAgent(settingsOf(given, options))) }
    : { kind: "assembly", name, ...(description === undefined ? {} : { description }) };
}

const describeServer = (places: readonly Place[]): Omit<ServerDescription, "outlivesReaders"> => ({
  version,
  sessions: places.some(({ sessions }) => sessions !== undefined),
  runs: places.some(({ isDurable }) => isDurable)
    ? { kind: "store" }
    : { kind: "memory", most: mostRunsInMemory },
  artifacts: places.some(({ runtime }) => runtime.artifacts?.store !== undefined),
});

/** @throws Refusal 400. */
async function argumentsOf(request: Request, { maxBodyBytes }: ServerScope): Promise<JsonObject> {
  const body = parseJson(await readBody(request, maxBodyBytes));
  const given = isJsonObject(body) ? body["arguments"] : undefined;
  if (!isJsonObject(given)) {
    throw invalidInput('The body must be { "arguments": { … } }.');
  }
  return given;
}

import type { Caller } from "../ag-ui/handler-options.ts";
import { readBody } from "../ag-ui/read-body.ts";
import { invalidInput } from "../ag-ui/refusal.ts";
import { cancelKeptRun } from "../agent/cancel-kept-run.ts";
import type { RunFilter, RunRecord, RunStatus } from "../agent/run-store.ts";
import type { Decision } from "../agent/waiting.ts";
import { isJsonObject, type JsonObject, parseJson } from "../base/json.ts";
import type { FoundRun } from "./found-run.ts";
import { isOwn, notFound, whose } from "./owned.ts";
import { pageQuery } from "./page-query.ts";
import { resumeRun } from "./resume-run.ts";
import { runEvents } from "./run-events.ts";
import type { Routes, ServerScope } from "./server-scope.ts";

/** Runs: what there is of them, what happened in them, and what a person decides. */
export function addRunRoutes(routes: Routes, scope: ServerScope): void {
  routes.get("/runs", async (context) =>
    context.json(await listRuns(context.req.query(), context.get("caller"), scope)),
  );
  routes.get("/runs/:id", async (context) => {
    const { record } = await findRun(context.req.param("id"), context.get("caller"), scope);
    return context.json(record);
  });
  routes.get("/runs/:id/events", async (context) => {
    const found = await findRun(context.req.param("id"), context.get("caller"), scope);
    return runEvents(context.req.raw, found, scope);
  });
  routes.post("/runs/:id/cancel", async (context) => {
    await cancelRun(await findRun(context.req.param("id"), context.get("caller"), scope), scope);
    return context.body(null, 204);
  });
  routes.post("/runs/:id/resume", async (context) => {
    const caller = context.get("caller");
    const found = await findRun(context.req.param("id"), caller, scope);
    const decisions = decisionsIn(await bodyOf(context.req.raw, scope));
    return context.json(await resumeRun(found, decisions, caller), 202);
  });
  for (const kind of ["approve", "deny"] as const) {
    routes.post(`/runs/:id/${kind}`, async (context) => {
      const caller = context.get("caller");
      const found = await findRun(context.req.param("id"), caller, scope);
      const decisions = sameForAll(kind, await bodyOf(context.req.raw, scope), found.record);
      return context.json(await resumeRun(found, decisions, caller), 202);
    });
  }
}

/** @throws Refusal 404. */
async function findRun(id: string, caller: Caller, { places }: ServerScope): Promise<FoundRun> {
  for (const { app, runs } of places.ofRuns) {
    const record = await runs.get({ app, id, ...whose(caller) });
    const place = record && places.findRunner(record.agent);
    // The store may be shared with agents that are not served here.
    if (record !== undefined && isOwn(record, caller) && place?.runs === runs) {
      return { place, record };
    }
  }
  throw notFound("run");
}

const statuses: readonly RunStatus[] = ["running", "suspended", "completed", "failed", "cancelled"];

/** A page of the caller's runs; where several stores are served, `store` of the query is its number. */
async function listRuns(
  query: Readonly<Record<string, string>>,
  caller: Caller,
  { places }: ServerScope,
): Promise<{ readonly runs: readonly RunRecord[]; readonly next?: string }> {
  const { status, session } = query;
  if (status !== undefined && !statuses.some((one) => one === status)) {
    throw invalidInput(`status must be one of ${statuses.join(", ")}.`);
  }
  const wanted: Omit<RunFilter, "app"> = {
    ...pageQuery(query),
    ...whose(caller),
    ...(status === undefined ? {} : { status: status as RunStatus }), // looked up just before
    ...(session === undefined ? {} : { session }),
  };
  const own = places.ofRuns;
  const [first] = own;
  const pages = await Promise.all(own.map(({ app, runs }) => runs.list({ ...wanted, app })));
  const runs = pages
    .flatMap((page) => page.runs)
    .filter((run) => isOwn(run, caller) && places.findRunner(run.agent) !== undefined)
    .toSorted((one, other) => other.updatedAt - one.updatedAt);
  const next = own.length === 1 && first !== undefined ? pages[0]?.next : undefined;
  return { runs, ...(next === undefined ? {} : { next }) };
}

async function cancelRun(
  { place, record }: FoundRun,
  { tracker, clock }: ServerScope,
): Promise<void> {
  const run = tracker.find(record.id);
  if (run === undefined) {
    const { app, id } = record;
    await cancelKeptRun(place.runs, { app, id }, clock);
    return;
  }
  run.cancel("It was cancelled over HTTP.");
  await run.result;
}

/** The JSON object of a request; nothing counts as an empty one. @throws Refusal. */
async function bodyOf(request: Request, { maxBodyBytes }: ServerScope): Promise<JsonObject> {
  const text = await readBody(request, maxBodyBytes);
  const body = text.trim() === "" ? {} : parseJson(text);
  if (!isJsonObject(body)) {
    throw invalidInput("The body must be a JSON object.");
  }
  return body;
}

/** @throws Refusal 400. */
function decisionsIn({ decisions = {} }: JsonObject): Readonly<Record<string, Decision>> {
  if (!isJsonObject(decisions) || !Object.values(decisions).every(isDecision)) {
    throw invalidInput(
      'decisions must be an object of decisions by id: { "kind": "approve" }, { "kind": "deny", "reason" } or { "kind": "answer", "value" }.',
    );
  }
  return decisions as Readonly<Record<string, Decision>>; // each was looked at
}

function isDecision(value: unknown): boolean {
  if (!isJsonObject(value)) {
    return false;
  }
  const { kind, reason } = value;
  return kind === "deny"
    ? reason === undefined || typeof reason === "string"
    : kind === "approve" || (kind === "answer" && value["value"] !== undefined);
}

/** One decision for all that the run waits for, or for those that `ids` names. @throws Refusal 400. */
function sameForAll(
  kind: "approve" | "deny",
  { ids, reason }: JsonObject,
  { waitingFor }: RunRecord,
): Readonly<Record<string, Decision>> {
  if (ids !== undefined && !Array.isArray(ids)) {
    throw invalidInput("ids must be a list of what is decided; without it, all is.");
  }
  if (reason !== undefined && typeof reason !== "string") {
    throw invalidInput("reason must be a text.");
  }
  const decidable = waitingFor.filter(
    (waiting) => kind === "deny" || waiting.kind === "approval" || waiting.kind === "confirm-retry",
  );
  const wanted = ids === undefined ? decidable.map(({ id }) => id) : ids.map(String);
  const decision: Decision = kind === "deny" && reason !== undefined ? { kind, reason } : { kind };
  return Object.fromEntries(wanted.map((id) => [id, decision]));
}

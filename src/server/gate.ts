import type { Context } from "hono";
import { cors } from "hono/cors";
import { Refusal } from "../ag-ui/refusal.ts";
import { messageOf } from "../base/dragoman-error.ts";
import type { Guard } from "./guard.ts";
import { checkHost, type HostRules } from "./host-check.ts";
import type { RequestLog } from "./request-log.ts";
import type { Routes, ServerEnvironment } from "./server-scope.ts";
import { toRefusal } from "./to-refusal.ts";

/** What every request passes before it reaches a route. */
export interface GateOptions {
  readonly guard: Guard;
  readonly log: RequestLog;
  readonly hostRules: HostRules;
  readonly isStopping: () => boolean;
  /** Adds what asks for nobody's name. */
  readonly addOpenRoutes: (routes: Routes) => void;
}

/** Headers that other sites' pages may send and read, where their site is allowed. */
const corsHeaders = {
  allowHeaders: [
    "authorization",
    "content-type",
    "last-event-id",
    "mcp-session-id",
    "mcp-protocol-version",
    "mcp-method",
    "mcp-name",
  ],
  exposeHeaders: ["mcp-session-id", "ag-ui-protocol-version", "x-request-id"],
};

/** Adds the gate, and before it what asks for nobody's name: the health check, the files of the web UI. */
export function addGate(routes: Routes, options: GateOptions): void {
  const { guard, log, hostRules, isStopping, addOpenRoutes } = options;
  routes.onError((thrown, context) => answerTo(thrown, context, log));
  routes.use(async (context, next) => {
    const { id, end } = log.begin(context.req.raw);
    const { outgoing } = context.env ?? {};
    outgoing?.once("close", () => end(outgoing.statusCode, outgoing.writableFinished));
    context.header("x-request-id", id);
    context.header("x-content-type-options", "nosniff");
    checkHost(context.req.raw, hostRules);
    await next();
    if (outgoing === undefined) {
      end(context.res.status, true);
    }
  });
  routes.get("/healthz", (context) =>
    isStopping()
      ? context.json({ status: "stopping" }, 503)
      : context.json({ status: "ok", openRequests: guard.open.count }),
  );
  addOpenRoutes(routes);
  if (hostRules.origins.size > 0) {
    routes.use(cors({ origin: [...hostRules.origins], ...corsHeaders, maxAge: 600 }));
  }
  routes.use(async (context, next) => {
    if (isStopping()) {
      const headers = { "retry-after": "5", connection: "close" };
      const message = "The server is shutting down.";
      throw new Refusal(message, { status: 503, code: "unavailable", headers });
    }
    const { outgoing } = context.env ?? {};
    const { caller, leave } = await guard.admit(context.req.raw, context.env ?? {});
    context.set("caller", caller);
    outgoing?.once("close", leave);
    try {
      await next();
    } finally {
      if (outgoing === undefined) {
        leave();
      }
    }
  });
}

function answerTo(thrown: unknown, context: Context<ServerEnvironment>, log: RequestLog): Response {
  const requestId = context.res.headers.get("x-request-id") ?? "";
  const known = toRefusal(thrown);
  if (known === undefined || known.status >= 500) {
    log.error(`A request could not be served: ${messageOf(known?.cause ?? thrown)}`, { requestId });
  }
  const message = `The request could not be served; the log has it under ${requestId}.`;
  const refusal = known ?? new Refusal(message, { status: 500, code: "internal-error" });
  return refusal.toResponse();
}

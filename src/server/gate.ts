import type { Context } from "hono";
import { cors } from "hono/cors";
import { Refusal } from "../ag-ui/refusal.ts";
import { messageOf } from "../base/dragoman-error.ts";
import type { Guard } from "./guard.ts";
import { checkHost, type HostRules } from "./host-check.ts";
import { notFound } from "./owned.ts";
import type { RequestLog } from "./request-log.ts";
import type { ServedWebhooks } from "./served-webhooks.ts";
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
  readonly webhooks: ServedWebhooks;
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

/** Adds the gate, and the routes before it: the health check, the web UI's files, and webhooks, which know their senders. */
export function addGate(routes: Routes, options: GateOptions): void {
  const { guard, log, hostRules, isStopping, addOpenRoutes, webhooks } = options;
  const refuseWhereStopping = (): void => {
    if (isStopping()) {
      const headers = { "retry-after": "5", connection: "close" };
      const message = "The server is shutting down.";
      throw new Refusal(message, { status: 503, code: "unavailable", headers });
    }
  };
  routes.onError((thrown, context) => answerTo(thrown, context, log));
  routes.use(async (context, next) => {
    const { id, end } = log.begin(context.req.raw);
    const { outgoing } = context.env ?? {};
    outgoing?.once("close", () => end(outgoing.statusCode, outgoing.writableFinished));
    context.header("x-request-id", id);
    context.header("x-content-type-options", "nosniff");
    // Webhooks come to whatever name a sender was given, and no page of another site can sign one.
    if (!(webhooks.names.length > 0 && context.req.path.startsWith("/webhooks/"))) {
      checkHost(context.req.raw, hostRules);
    }
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
  if (webhooks.names.length > 0) {
    routes.all("/webhooks/:name", async (context) => {
      refuseWhereStopping();
      const { outgoing } = context.env ?? {};
      const name = context.req.param("name");
      const handle = webhooks.find(name);
      const leave = guard.admitTo(
        `webhook ${handle === undefined ? "" : name}`,
        context.req.raw,
        context.env ?? {},
      );
      outgoing?.once("close", leave);
      try {
        if (handle === undefined) {
          throw notFound("webhook");
        }
        const answering: Promise<Response> = handle(context.req.raw);
        return await answering;
      } finally {
        if (outgoing === undefined) {
          leave();
        }
      }
    });
  }
  if (hostRules.origins.size > 0) {
    routes.use(cors({ origin: [...hostRules.origins], ...corsHeaders, maxAge: 600 }));
  }
  routes.use(async (context, next) => {
    refuseWhereStopping();
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

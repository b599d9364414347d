import { Hono } from "hono";
import type { AgUiHandler } from "../ag-ui/create-ag-ui-handler.ts";
import type { Caller } from "../ag-ui/handler-options.ts";
import { checkNumbers, type NumberRule } from "../base/check-numbers.ts";
import { checkObject } from "../base/check-object.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { isLoopbackHost } from "../base/loopback-host.ts";
import { sleep } from "../base/sleep.ts";
import { addAgentRoutes, agUiHandlerOf } from "./agent-routes.ts";
import { addArtifactRoutes } from "./artifact-routes.ts";
import { addGate } from "./gate.ts";
import { Guard } from "./guard.ts";
import { Listener, type Listening, type ListenOptions, refuseOpenServer } from "./listener.ts";
import { McpEndpoint } from "./mcp-endpoint.ts";
import { McpFace } from "./mcp-face.ts";
import { type StdioServing, type StdioStreams, serveMcpStdio } from "./mcp-stdio.ts";
import type { NodeBindings } from "./node-bindings.ts";
import { notFound } from "./owned.ts";
import { Places } from "./places.ts";
import { cancelFleetingRuns, putDownRuns } from "./put-down-runs.ts";
import { Recovery } from "./recovery.ts";
import { RequestLog } from "./request-log.ts";
import { addRunRoutes } from "./run-routes.ts";
import { RunTracker } from "./run-tracker.ts";
import { ServedWebhooks } from "./served-webhooks.ts";
import type { McpFaceOptions, ServerLimits, ServerOptions } from "./server-options.ts";
import type { Routes, ServerEnvironment } from "./server-scope.ts";
import { addSessionRoutes } from "./session-routes.ts";
import { addUiFiles } from "./ui-files.ts";
import { addWorkbenchRoutes } from "./workbench-routes.ts";

/** How a server ends. */
export interface CloseOptions {
  /** How long runs may go on to their ends, in milliseconds. Default 5000. */
  readonly graceMs?: number;
}

/** Serves agents to people and programs. Closing it closes no store. */
export interface DragomanServer extends AsyncDisposable {
  /** Answers a request, whatever routes it here; never rejects. */
  fetch(request: Request, bindings?: Partial<NodeBindings>): Promise<Response>;
  /**
   * Listens for HTTP; once. With `recover` it first takes up the runs that were left behind.
   *
   * @throws ConfigurationError where the address is not to be had, or others could reach a server
   *   without `auth`; what the store throws.
   */
  listen(options?: ListenOptions): Promise<Listening>;
  /**
   * Serves the agents as an MCP server to whoever has started this process, who counts as `caller`.
   *
   * @throws ConfigurationError where `mcp` is `"none"`.
   */
  serveStdio(streams: StdioStreams, caller?: Caller): Promise<StdioServing>;
  /**
   * Takes no more requests, lets runs end for a while, and then ends them: runs in a store that
   * outlives the process are left there, to be taken up again, and their readers' connections break
   * off; others are cancelled.
   */
  close(options?: CloseOptions): Promise<void>;
}

/**
 * Makes a server of agents: AG-UI at `POST /agents/:name/ag-ui`, an MCP server at `/mcp`, and webhooks at
 * `POST /webhooks/:name`, and JSON for agents, runs, sessions and artifacts. Every resource is its caller's: another's is as if it were not there.
 *
 * @throws ConfigurationError where there are no agents, names collide, or the token is too short.
 */
export function createServer(options: ServerOptions): DragomanServer {
  return new HttpServer(options);
}

const limitNumbers: Readonly<Record<keyof ServerLimits, NumberRule>> = {
  maxBodyBytes: "bytes",
  requestsPerMinute: "count",
  refusalsPerMinute: "count",
  maxOpenRequests: "count",
  maxOpenRequestsPerCaller: "count",
};

/** Every option, so that the compiler misses none here: a slip in auth would let everybody in. */
const optionNames: Readonly<Record<keyof ServerOptions, true>> = {
  agents: true,
  store: true,
  sessions: true,
  recover: true,
  auth: true,
  mcp: true,
  agUi: true,
  ui: true,
  webhooks: true,
  limits: true,
  allowedHosts: true,
  allowedOrigins: true,
  clientAddress: true,
  log: true,
  clock: true,
};

const mcpNames: Readonly<Record<keyof McpFaceOptions, true>> = {
  name: true,
  instructions: true,
  agents: true,
  tools: true,
};

/** @throws ConfigurationError where one is not known. */
function checkOptions(options: ServerOptions): void {
  checkObject(options, Object.keys(optionNames), "set of options of createServer");
  const { limits, mcp, ui } = options;
  if (limits !== undefined) {
    checkObject(limits, Object.keys(limitNumbers), "set of limits of createServer");
    checkNumbers(limits, limitNumbers, { where: "in limits of the server" });
  }
  if (typeof ui === "object") {
    checkObject(ui, ["folder"], "ui of createServer");
  }
  if (mcp !== undefined && mcp !== "none") {
    checkObject(mcp, Object.keys(mcpNames), "mcp of createServer");
  }
}

const defaultGraceMs = 5_000;
const defaultMaxBodyBytes = 10 * 1024 * 1024;

/** How long answers may take to reach their readers once their runs have ended. */
const flushMs = 1_000;

class HttpServer implements DragomanServer {
  readonly #options: ServerOptions;
  readonly #clock: Clock;
  readonly #log: RequestLog;
  readonly #tracker = new RunTracker();
  readonly #places: Places;
  readonly #guard: Guard;
  readonly #face: McpFace | undefined;
  readonly #mcp: McpEndpoint | undefined;
  readonly #recovery: Recovery;
  readonly #webhooks: ServedWebhooks;
  readonly #agUi = new Map<string, AgUiHandler>();
  readonly #hosts = new Set<string>();
  readonly #app: Routes = new Hono<ServerEnvironment>();
  /** Whether the web UI and what is made for it is there. */
  #hasUi: boolean;
  #listener: Listener | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: ServerOptions) {
    checkOptions(options);
    const { agents, store, sessions, mcp, limits, clock = systemClock } = options;
    const { maxBodyBytes = defaultMaxBodyBytes } = limits ?? {};
    const tracker = this.#tracker;
    this.#options = options;
    this.#hasUi = (options.ui ?? false) !== false;
    this.#clock = clock;
    this.#log = new RequestLog(options.log);
    this.#places = new Places({ agents, store, sessions, tracker });
    this.#guard = new Guard(options, clock);
    this.#recovery = new Recovery(this.#places, { recover: options.recover, clock });
    const onError = (error: Error): void => this.#log.error(`MCP: ${error.message}`);
    this.#face = mcp === "none" ? undefined : new McpFace(this.#places, mcp);
    this.#mcp = this.#face && new McpEndpoint({ face: this.#face, clock, maxBodyBytes, onError });
    this.#webhooks = new ServedWebhooks(this.#places, options, this.#log.asLogger());
    for (const host of options.allowedHosts ?? []) {
      this.#hosts.add(host.toLowerCase());
    }
    this.#addRoutes(maxBodyBytes);
  }

  async fetch(request: Request, bindings: Partial<NodeBindings> = {}): Promise<Response> {
    return this.#app.fetch(request, bindings);
  }

  async listen(options: ListenOptions = {}): Promise<Listening> {
    refuseOpenServer(options, this.#options.auth !== undefined);
    const { hostname = "127.0.0.1" } = options;
    this.#hosts.add(hostname.toLowerCase());
    this.#hasUi = (this.#options.ui ?? isLoopbackHost(hostname)) !== false;
    await this.#recovery.start();
    this.#listener = new Listener((request, bindings) => this.fetch(request, bindings));
    const listening = await this.#listener.listen(options);
    this.#log.info("listening", { url: listening.url });
    return listening;
  }

  async serveStdio(streams: StdioStreams, caller: Caller = {}): Promise<StdioServing> {
    const face = this.#face ?? new McpFace(this.#places);
    await this.#recovery.start();
    const onError = (error: Error): void => this.#log.error(`MCP: ${error.message}`);
    return serveMcpStdio(face, streams, { caller, onError });
  }

  async close(options: CloseOptions = {}): Promise<void> {
    checkNumbers(options, { graceMs: "milliseconds-or-0" }, { where: "of close" });
    this.#closing ??= this.#close(options);
    await this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #addRoutes(maxBodyBytes: number): void {
    const { agUi, allowedOrigins = [], ui } = this.#options;
    const app = this.#app;
    const guard = this.#guard;
    const scope = {
      places: this.#places,
      tracker: this.#tracker,
      clock: this.#clock,
      maxBodyBytes,
    };
    const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
    addGate(app, {
      guard,
      log: this.#log,
      hostRules: { hosts: this.#hosts, origins },
      isStopping: () => this.#closing !== undefined,
      addOpenRoutes: (routes) =>
        addUiFiles(routes, {
          folder: typeof ui === "object" ? ui.folder : undefined,
          isOpen: () => this.#hasUi,
        }),
      webhooks: this.#webhooks,
    });
    const agUiOptions = {
      options: agUi,
      maxBytes: maxBodyBytes,
      callerOf: (request: Request) => guard.callerOf(request),
    };
    for (const place of this.#places.all) {
      this.#agUi.set(place.agent.name, agUiHandlerOf(place, agUiOptions));
    }
    addAgentRoutes(app, scope, (name) => {
      const handler = this.#agUi.get(name);
      if (handler === undefined) {
        throw notFound("agent");
      }
      return handler;
    });
    addWorkbenchRoutes(app, scope, {
      isOpen: () => this.#hasUi,
      outlivesReaders: agUi?.onDisconnect === "continue",
    });
    addRunRoutes(app, scope);
    addSessionRoutes(app, scope);
    addArtifactRoutes(app, scope);
    const mcp = this.#mcp;
    if (mcp !== undefined) {
      app.all("/mcp", (context) => mcp.handle(context.req.raw, context.get("caller")));
    }
    app.notFound(() => notFound("address").toResponse());
  }

  async #close({ graceMs = defaultGraceMs }: CloseOptions): Promise<void> {
    this.#listener?.stop();
    const answered = this.#webhooks.stop();
    await this.#until(Promise.all(this.#tracker.active.map(({ result }) => result)), graceMs);
    await cancelFleetingRuns(this.#tracker, this.#places);
    // What has ended is told to its readers to the end; what goes on elsewhere breaks off.
    const flushed = new AbortController();
    const over = [answered, this.#webhooks.idle(), this.#guard.open.allOver(flushed.signal)];
    await this.#until(Promise.all(over), flushMs);
    flushed.abort();
    await this.#listener?.destroy();
    await this.#recovery.close();
    await putDownRuns(this.#tracker, this.#places);
    await this.#webhooks.close();
    await Promise.all([...this.#agUi.values()].map((handler) => handler.close()));
    await this.#mcp?.close();
    if (this.#listener !== undefined) {
      this.#log.info("closed");
    }
  }

  /** Waits, but not for ever. */
  async #until(work: Promise<unknown>, longestMs: number): Promise<void> {
    const over = new AbortController();
    const late = sleep(this.#clock, longestMs, over.signal).catch(() => {});
    await Promise.race([work, late]).finally(() => over.abort());
  }
}

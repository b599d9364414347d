import type { Logger as PinoLogger } from "pino";
import type { AgUiHandlerOptions, Caller } from "../ag-ui/handler-options.ts";
import type { Assembly } from "../agent/assembly.ts";
import type { ResumeOptions } from "../agent/run-options.ts";
import type { RunRecord, RunStore } from "../agent/run-store.ts";
import type { SessionStore } from "../agent/session-store.ts";
import type { Clock } from "../base/clock.ts";
import type { Tool } from "../tool/tool.ts";
import type { WebhookOptions } from "./webhook-handler-options.ts";

/**
 * Who may use a server: whoever has the token, as nobody in particular; or whoever a function knows by
 * the request's headers (it may not read the body). A function gives `null` or `undefined` for those
 * who may not. What callers without an actor have made belongs to all callers without an actor.
 */
export type ServerAuth =
  | { readonly token: string; readonly actor?: string }
  | ((request: Request) => Caller | null | undefined | Promise<Caller | null | undefined>);

/** How much a server takes. */
export interface ServerLimits {
  /** Bytes of one request's body. Default 10 MiB. */
  readonly maxBodyBytes?: number;
  /** Requests of one caller in a minute; as many may come at once. Default 1200. */
  readonly requestsPerMinute?: number;
  /** Requests without valid credentials from one address in a minute. Default 60. */
  readonly refusalsPerMinute?: number;
  /** Requests, streams among them, that are open at once. Default 1000. */
  readonly maxOpenRequests?: number;
  /** The same for one caller. Default: as many as for all. */
  readonly maxOpenRequestsPerCaller?: number;
}

/** What is offered to MCP clients at `/mcp`. */
export interface McpFaceOptions {
  /** The server's name. Default `"dragoman"`. */
  readonly name?: string;
  /** What clients are told on the use of the server. */
  readonly instructions?: string;
  /** The agents that become tools, by name. Default: all. */
  readonly agents?: readonly string[];
  /** Tools that are offered as they are, without an agent. Their names must be free. */
  readonly tools?: readonly Tool[];
}

/** The part of an AG-UI endpoint's options that a server leaves to the application. */
export type AgUiOptions = Omit<AgUiHandlerOptions, "authenticate" | "sessions" | "runs" | "limits">;

/** A webhook of a server: whom its runs ask, and what it does. */
export interface ServedWebhook extends WebhookOptions {
  /** The name of the agent that is asked. Default: the server's only one. */
  readonly agent?: string;
}

/** What a server serves, to whom, and how. */
export interface ServerOptions {
  /** At least one; each under its name, which no other has. Live agents keep their connections. */
  readonly agents: readonly Assembly[];
  /**
   * Where runs are kept, so that they outlive the process. Default: the configured store; else runs
   * are kept in memory, the last two hundred, and end with the process. The server does not close it.
   */
  readonly store?: RunStore;
  /** Where conversations are kept. Default: the configured store, else nowhere. */
  readonly sessions?: SessionStore;
  /**
   * Whether runs that an earlier process has left in the store are taken up when the server starts, and
   * those that other processes decide. A function gives what such a run has besides its record, such as
   * its context. Only for the one process that executes the store's runs, and with `sessions`. Default
   * false.
   */
  readonly recover?: boolean | ((run: RunRecord) => ResumeOptions | Promise<ResumeOptions>);
  /** Default: nobody has to say who they are, which is for the loopback interface only. */
  readonly auth?: ServerAuth;
  /** Agents and tools as an MCP server; `"none"` for no such thing. */
  readonly mcp?: McpFaceOptions | "none";
  /**
   * The web UI at `/ui/`, and what is made for it: how agents are defined, and calls of their tools by
   * hand. For developers: whoever `auth` lets in may read instructions and call tools. Default: there
   * where the server listens on the loopback interface, and nowhere else; `true` on any address, which
   * needs `auth`; `false` nowhere. `folder` is where another build of the UI is than the package's own.
   */
  readonly ui?: boolean | { readonly folder: string };
  /** See `AgUiHandlerOptions`. */
  readonly agUi?: AgUiOptions;
  /**
   * Webhooks that start runs, each at `POST /webhooks/NAME`, by their names (1 to 64 of `A-Z a-z 0-9 _ -`).
   * Whoever may send is told by a webhook's own `verify`, not by `auth`.
   */
  readonly webhooks?: Readonly<Record<string, ServedWebhook>>;
  readonly limits?: ServerLimits;
  /**
   * Names that the server goes by, such as `"agents.example"`: what a request's `Host` may be besides
   * an IP address, `localhost` and the name that it listens on.
   */
  readonly allowedHosts?: readonly string[];
  /** Sites whose pages may use the server, such as `"https://app.example"` (CORS). Default: none. */
  readonly allowedOrigins?: readonly string[];
  /** The address that a request comes from, for limits: behind a proxy, what its header says. */
  readonly clientAddress?: (request: Request) => string | undefined;
  /** What is logged of requests. Default: pino on the error stream, from `info` on. */
  readonly log?: PinoLogger | "none";
  /** Default: the machine's clock. */
  readonly clock?: Clock;
}

import type { Binding } from "../../tool/binding.ts";
import type { McpLimits } from "../../tool/mcp-limits.ts";
import type {
  InstructionsPolicy,
  McpProtocol,
  McpTransport,
} from "../../tool/mcp-server-config.ts";
import type { Tool } from "../../tool/tool.ts";
import type { PinsSetting } from "../../tool/tool-pins.ts";
import type { UnavailablePolicy } from "../../tool/toolset.ts";
import type { McpClient } from "../client/mcp-client.ts";
import type { ToolSelection } from "../definitions/select-tools.ts";
import type { McpToolDefinition } from "../definitions/tool-definition.ts";
import type { OutputMismatchPolicy } from "../results/check-output.ts";
import type { ServerCallbacks } from "../session/server-callbacks.ts";
import type { McpLogLevel } from "../session/server-log.ts";
import type { McpCustomTransport } from "../wire/custom-link.ts";
import type { MapResult } from "./mcp-tool.ts";
import type { McpToolsetScope, ToolsetElicitation } from "./toolset-callbacks.ts";

/** Configures or renames a tool, replaces it, or leaves it out (null). */
export type MapTool = (
  tool: Tool,
  scope: { readonly definition: McpToolDefinition; readonly binding: Binding },
) => Tool | null;

/** A transport as plain data, or one of the application's own, which serves one connection. */
export type McpTransportChoice = McpTransport | McpCustomTransport;

/** What an MCP toolset is made of. An `McpServerConfig` is enough. */
export type McpToolsetOptions = McpToolsetSettings & (McpToolsetServer | McpToolsetClient);

/** A toolset that opens a connection of its own for each run. */
export interface McpToolsetServer extends ServerCallbacks<McpToolsetScope>, ToolsetElicitation {
  /** Unique alias of the server in this application. */
  readonly name: string;
  /** How the server is reached. A function is called for each run, before anything is opened. */
  readonly transport:
    | McpTransportChoice
    | ((binding: Binding) => McpTransportChoice | Promise<McpTransportChoice>);
  /**
   * For connecting and for each request, in milliseconds; progress of a call starts it anew, up to
   * 20 times its length. Default 15 000.
   */
  readonly timeoutMs?: number;
  /** Which revisions of MCP are spoken. Default: `"auto"` over streamable HTTP, else `"legacy"`. */
  readonly protocol?: McpProtocol;
  /**
   * From which level on the server is asked to log; what it logs becomes events of the run. Default:
   * `"info"` where each request says it (since 2026-07-28); older servers are not asked, and log as
   * they like.
   */
  readonly logLevel?: McpLogLevel;
  readonly client?: never;
}

/** A toolset on a client of the application's, which all runs share. */
export interface McpToolsetClient {
  /** Default: the client's. */
  readonly name?: string;
  /** Connected where it is not yet; who made it disconnects it. */
  readonly client: McpClient;
  readonly transport?: never;
  readonly timeoutMs?: never;
  readonly protocol?: never;
  readonly logLevel?: never;
  readonly elicitation?: never;
  readonly onElicitation?: never;
  readonly onSampling?: never;
  readonly roots?: never;
}

/** What a toolset makes of a server's tools. */
export interface McpToolsetSettings {
  /** What the server is about; discovery scores it. */
  readonly description?: string;
  /**
   * Names of the server's tools: exactly these are had. As an object, with the names that the model
   * is to know them by. Absent: all that the server publishes. A name that the server does not
   * publish is a notice, not a failure.
   */
  readonly tools?: ToolSelection;
  /** How much is taken of the server. Absent ones have their defaults; see {@link McpLimits}. */
  readonly limits?: McpLimits;
  /** Tools of the server that are not had, whatever `tools` says, by its own names. */
  readonly disabledTools?: readonly string[];
  /**
   * What is done with a result that does not fit the tool's outputSchema: an error that the model
   * reads with the server's content (`"error"`, the default), a notice and a remark beside the result
   * (`"warn"`), or nothing. Results that the server marks as errors are not checked, nor are those
   * that `mapResult` replaces.
   */
  readonly outputMismatch?: OutputMismatchPolicy;
  readonly mapTool?: MapTool;
  /** Also called with results that the server marks as errors. What it throws fails that call. */
  readonly mapResult?: MapResult;
  /** Default `"record"`. */
  readonly onUnavailable?: UnavailablePolicy;
  /** Told of failures that `"ignore"` keeps quiet. */
  readonly onError?: (error: unknown, scope: { readonly binding: Binding }) => void;
  /**
   * Whether the server's tools must be as they were pinned by `dragoman mcp pin`: `"warn"` tells of a
   * new, changed or removed tool, `"enforce"` also keeps new and changed ones from the model and refuses
   * their calls, with what differs in a notice. Each listing is checked, also in the middle of a run.
   * Default: what `configure({ pins })` says, else `"off"`.
   */
  readonly pins?: PinsSetting;
  /**
   * Whether the model is told what the server says on its use: `"include"` puts it, in a fence that
   * says whose it is, into the system prompt. Default `"off"`.
   */
  readonly instructions?: InstructionsPolicy;
  /** Always prefix the names of tools with `name`. Default false: only where they collide. */
  readonly prefix?: boolean;
}

import type { McpServerFactory, Server, ServerContext } from "@modelcontextprotocol/server";
import type { Caller } from "../ag-ui/handler-options.ts";
import type { AgentRuntime } from "../agent/agent-runtime.ts";
import { runtimeOf } from "../agent/create-assembly.ts";
import { didYouMean } from "../base/closest-name.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { isJsonObject, type Json } from "../base/json.ts";
import type { Tracer } from "../base/tracing.ts";
import { version } from "../base/version.ts";
import { normalizeToolName } from "../tool/tool-names.ts";
import { agentEntry } from "./agent-entry.ts";
import {
  answeredCall,
  canShowForms,
  type McpToolEntry,
  progressTo,
  traceIn,
} from "./mcp-tool-entry.ts";
import type { Place, Places } from "./places.ts";
import type { McpFaceOptions } from "./server-options.ts";
import { toolEntry } from "./tool-entry.ts";
import { tracedRequest } from "./traced-request.ts";

/** A run may wait for a person so often before its call is given up. */
const mostRounds = 50;

/** Who calls in a request of MCP, by what the transport was given with it. */
export type CallerOf = (context: ServerContext) => Caller;

/** Agents and tools as MCP has them. */
export class McpFace {
  readonly #options: McpFaceOptions;
  readonly #tracerNow: () => Tracer | undefined;
  readonly #entries: ReadonlyMap<string, McpToolEntry>;

  /** @throws ConfigurationError where names collide, or an agent is not there. */
  constructor(places: Places, options: McpFaceOptions = {}) {
    this.#options = options;
    this.#tracerNow = () => (places.all.length === 0 ? undefined : runtimeOfFirst(places).tracer);
    const names = options.agents ?? places.names;
    const agents = names.map((name) => {
      const toolName = normalizeToolName(`ask_${name}`);
      return [toolName, agentEntry(toolName, () => placeOf(places, name))] as const;
    });
    const tools = (options.tools ?? []).map(
      (tool) => [tool.name, toolEntry(tool, () => runtimeOfFirst(places))] as const,
    );
    const all = [...agents, ...tools];
    const twice = all.find(([name], index) => all.findIndex(([one]) => one === name) !== index);
    if (twice !== undefined) {
      throw invalid(`Two tools of the MCP server have the name "${twice[0]}".`);
    }
    this.#entries = new Map(all);
  }

  /** Makes the official package's servers of it, which is loaded now. */
  async factory(callerOf: CallerOf): Promise<McpServerFactory> {
    const { ProtocolError, ProtocolErrorCode, Server } = await import(
      "@modelcontextprotocol/server"
    );
    const { name = "dragoman", instructions } = this.#options;
    return (): Server => {
      const server = new Server(
        { name, version },
        {
          capabilities: { tools: {} },
          inputRequired: { maxRounds: mostRounds },
          ...(instructions === undefined ? {} : { instructions }),
        },
      );
      server.setRequestHandler("tools/list", ({ method }, context) =>
        tracedRequest(this.#tracerNow(), { method, context }, async () => ({
          tools: [...this.#entries.values()].map(({ definition }) => definition),
        })),
      );
      server.setRequestHandler("tools/call", ({ method, params }, context) => {
        const entry = this.#entries.get(params.name);
        const target = entry && params.name;
        return tracedRequest(this.#tracerNow(), { method, target, context }, async (span) => {
          if (entry === undefined) {
            const message = `There is no tool ${JSON.stringify(params.name)}.${didYouMean(params.name, [...this.#entries.keys()])}`;
            throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
          }
          const given = (params.arguments ?? {}) as Json; // it came as JSON
          return entry.call({
            arguments: isJsonObject(given) ? given : {},
            caller: callerOf(context),
            signal: context.mcpReq.signal,
            span,
            trace: span?.context() ?? traceIn(context),
            progress: progressTo(context),
            canAsk: canShowForms(context, server.getClientCapabilities()),
            answered: answeredCall(context),
          });
        });
      });
      return server;
    };
  }
}

function placeOf(places: Places, name: string): Place {
  const place = places.find(name);
  if (place === undefined) {
    throw invalid(`The server has no agent "${name}" to offer.${didYouMean(name, places.names)}`);
  }
  return place;
}

/** As it is configured now. */
function runtimeOfFirst({ all: [first] }: Places): AgentRuntime {
  const runtime = first && runtimeOf(first.given);
  if (runtime === undefined) {
    throw invalid("The server has no agent.");
  }
  return runtime;
}

const invalid = (message: string): ConfigurationError =>
  new ConfigurationError(message, { code: "invalid-configuration" });

import type { Caller } from "../ag-ui/handler-options.ts";
import { Refusal } from "../ag-ui/refusal.ts";
import type { AgentRuntime } from "../agent/agent-runtime.ts";
import {
  type ExaminedServer,
  type ExaminedTools,
  examinedToolsOf,
} from "../agent/examine-tools.ts";
import { RunError } from "../agent/run-error.ts";
import type { RunFailure } from "../agent/run-failure.ts";
import type { McpEntry } from "../agent/tool-level.ts";
import type { JsonObject } from "../base/json.ts";
import type { JsonSchema } from "../base/json-schema.ts";
import { toJsonSchema } from "../base/schema.ts";
import { withoutUndefined } from "../base/without-undefined.ts";
import { describeTransport } from "../mcp/client/describe-transport.ts";
import { type OpenedPins, openPins } from "../mcp/definitions/open-pins.ts";
import type { McpServerConfig } from "../tool/mcp-server-config.ts";
import type { Tool, ToolAnnotations } from "../tool/tool.ts";
import { isToolset } from "../tool/toolset.ts";
import { whose } from "./owned.ts";
import type { Place } from "./places.ts";

/**
 * How a tool stands to its pin: `"pinned"` is what was pinned, since others are kept out;
 * `"watched"` is pinned, and runs tell where it differs; `"new"` is not pinned. Absent where nothing is
 * pinned, or the pins are a toolset's own business.
 */
export type PinState = "pinned" | "watched" | "new";

/** A tool as whoever builds on it wants to see it. */
export interface DescribedTool {
  /** What the model calls it. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** The alias of the server that it comes from. */
  readonly server?: string;
  /** The server's own name of it. */
  readonly sourceName?: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: ToolAnnotations;
  readonly pin?: PinState;
}

/** A server of an agent, without a secret. */
export interface DescribedServer {
  readonly name: string;
  readonly description?: string;
  readonly status: "connected" | "failed";
  /** How many of its tools the agent has. */
  readonly tools: number;
  readonly error?: RunFailure;
  /** As it names itself. */
  readonly serverInfo?: { readonly name: string; readonly version: string };
  /** How it is reached: of headers and variables only the names. */
  readonly transport?: JsonObject;
}

/** What an agent can do now, and which of its servers it must do without. */
export interface DescribedTools {
  readonly tools: readonly DescribedTool[];
  readonly servers: readonly DescribedServer[];
}

/**
 * The tools of an agent for a caller. A live agent's servers are asked as they are; others are connected
 * for it and left again.
 *
 * @throws Refusal 404 for several agents as one; 503 where a server is missing that must be there.
 */
export async function describeTools(
  { given, runtime }: Place,
  caller: Caller,
  signal: AbortSignal,
): Promise<DescribedTools> {
  const { context } = caller;
  const examining = examinedToolsOf(given, { ...whose(caller), context, signal });
  if (examining === undefined) {
    throw new Refusal("Several agents as one have no tools of their own; ask for one of them.", {
      status: 404,
      code: "not-found",
    });
  }
  const { tools, servers } = await examining.catch(refuseMissingServer);
  const pins = await pinsOf(servers, runtime);
  const described = [...tools].map(([name, tool]) => describeTool(name, tool, pins));
  return { tools: described, servers: servers.map((one) => describeServer(one, described)) };
}

function refuseMissingServer(thrown: unknown): ExaminedTools {
  if (RunError.is(thrown) && thrown.code === "server-unavailable") {
    const options = { status: 503, code: "unavailable", cause: thrown } as const;
    throw new Refusal(thrown.message, options);
  }
  throw thrown;
}

function describeTool(
  name: string,
  tool: Tool,
  pins: ReadonlyMap<string, OpenedPins>,
): DescribedTool {
  const { title, description, source, parameters, annotations } = tool;
  return withoutUndefined({
    name,
    title,
    description,
    server: source?.server,
    sourceName: source?.name,
    inputSchema: parameters,
    outputSchema: outputOf(tool),
    annotations,
    pin: source && pinStateOf(source.name, pins.get(source.server)),
  });
}

/** What a schema is that no JSON Schema can say is left out. */
function outputOf({ outputSchema, name }: Tool): JsonSchema | undefined {
  try {
    return outputSchema && toJsonSchema(outputSchema, "output", `outputSchema of tool "${name}"`);
  } catch {
    return undefined;
  }
}

function describeServer(server: ExaminedServer, tools: readonly DescribedTool[]): DescribedServer {
  const { entry, status } = server;
  const { name, description } = entry;
  return withoutUndefined({
    name,
    description,
    status,
    tools: tools.filter((tool) => tool.server === name).length,
    error: status === "failed" ? server.error : undefined,
    serverInfo: status === "connected" ? server.serverInfo : undefined,
    transport: isConfig(entry) ? describeTransport(entry.transport) : undefined,
  });
}

const isConfig = (entry: McpEntry): entry is McpServerConfig => !isToolset(entry);

async function pinsOf(
  servers: readonly ExaminedServer[],
  { pins: configured }: AgentRuntime,
): Promise<ReadonlyMap<string, OpenedPins>> {
  const found = await Promise.all(
    servers.map(async ({ entry, status }) => {
      if (!isConfig(entry) || status === "failed") {
        return [];
      }
      const { name, pins } = entry;
      return [[name, await openPins(name, pins, configured)] as const];
    }),
  );
  return new Map(found.flat());
}

function pinStateOf(sourceName: string, opened: OpenedPins | undefined): PinState | undefined {
  if (opened === undefined || opened.mode === "off") {
    return undefined;
  }
  const isPinned = Object.hasOwn(opened.pins?.tools ?? {}, sourceName);
  if (!isPinned) {
    return "new";
  }
  return opened.mode === "enforce" ? "pinned" : "watched";
}

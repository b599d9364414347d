import { untilAborted } from "../../base/abort.ts";
import { ConfigurationError, messageOf } from "../../base/dragoman-error.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Binding } from "../../tool/binding.ts";
import { fromServer } from "../../tool/from-server.ts";
import { isTool, type Tool } from "../../tool/tool.ts";
import type { OpenToolset, ToolsetObserver } from "../../tool/toolset.ts";
import type { McpClient } from "../client/mcp-client.ts";
import { parseMcpTransport } from "../config/parse-mcp-server-config.ts";
import type { McpConnectionConfig } from "../connection/mcp-connection-config.ts";
import { openMcpConnection } from "../connection/open-mcp-connection.ts";
import { openPins } from "../definitions/open-pins.ts";
import { PinGate } from "../definitions/pin-gate.ts";
import { isSelected, selectTools } from "../definitions/select-tools.ts";
import type { McpToolDefinition } from "../definitions/tool-definition.ts";
import { fencedInstructions } from "../text/fenced-instructions.ts";
import { fetchResource } from "../text/fetch-resource.ts";
import { isCustomTransport } from "../wire/custom-link.ts";
import { resolveLimits } from "../wire/mcp-limits.ts";
import type { SpokenProtocols } from "../wire/spoken-protocols.ts";
import { GivenCredentials, type UsedServer } from "./given-credentials.ts";
import { toMcpTool } from "./mcp-tool.ts";
import type { McpToolsetOptions } from "./mcp-toolset-options.ts";
import { boundTo, runEvents } from "./toolset-callbacks.ts";

/** What an MCP toolset is opened with. */
export interface ToolsetOpening {
  readonly options: McpToolsetOptions;
  /** The alias of the server. */
  readonly name: string;
  /** Names the toolset in errors. */
  readonly where: string;
  readonly binding: Binding;
  readonly observer: ToolsetObserver;
  /** What is known of the servers of earlier runs. */
  readonly spoken: SpokenProtocols;
}

/** A connection as its toolset uses it: one of its own, or the application's client. */
interface UsedConnection {
  readonly server: UsedServer;
  isOpen(): boolean;
  readResource(uri: string, options: { readonly signal: AbortSignal }): Promise<JsonObject>;
  close(): Promise<void>;
  /** Lets go of it with little patience. */
  abandon(): Promise<void>;
}

/** Opens an MCP toolset, as `mcpToolset` says. */
export async function openMcpToolset(opening: ToolsetOpening): Promise<OpenToolset> {
  const { name, options, binding, observer } = opening;
  const { signal } = binding;
  signal.throwIfAborted();
  const pinned = await openPins(name, options.pins, observer.pins);
  const tell = tellingOf(opening);
  const notice = (code: string, message: string, tool?: string): void => {
    if (tool === undefined || isSelected(tool, options.tools)) {
      tell(code, message);
    }
  };
  const isWanted = (tool: string): boolean => isSelected(tool, options.tools);
  const gate = pinned.mode === "off" ? undefined : new PinGate({ ...pinned, isWanted, notice });
  const used = await (options.client === undefined
    ? connect(opening)
    : join(options.client, opening));
  const offer = async (definitions: readonly McpToolDefinition[]): Promise<OpenToolset> => {
    const offered: OpenToolset = {
      tools: await toolsOf(definitions, { ...opening, used, gate, notice }),
      ...greetingOf(used, opening),
      isOpen: used.isOpen,
      fetch: (reference, asked) =>
        fetchResource(reference, ({ uri }) => used.readResource(uri, asked)),
      close: used.close,
      current: async (asked) => {
        const now = await used.server.currentTools(asked);
        return now === definitions ? offered : offer(now);
      },
    };
    return offered;
  };
  try {
    return await offer(await used.server.listTools({ signal, notice, span: observer.span }));
  } catch (error) {
    await used.abandon();
    throw error;
  }
}

/** A client that all runs share; it is left connected. */
async function join(client: McpClient, opening: ToolsetOpening): Promise<UsedConnection> {
  const { signal } = opening.binding;
  const stop = client.listen(runEvents(opening.observer, tellingOf(opening)));
  try {
    await client.connect({ signal });
  } catch (error) {
    stop();
    throw error;
  }
  const leave = async (): Promise<void> => stop();
  return {
    server: client,
    isOpen: () => client.connected,
    readResource: (uri, options) => client.readResource(uri, options),
    close: leave,
    abandon: leave,
  };
}

/** A connection of the toolset's own. */
async function connect(opening: ToolsetOpening): Promise<UsedConnection> {
  const { options, binding, observer, spoken } = opening;
  const tell = tellingOf(opening);
  const connection = await openMcpConnection(await configFor(opening), {
    signal: binding.signal,
    actor: binding.run.actor,
    span: observer.span,
    events: runEvents(observer, tell),
    callbacks: boundTo(binding, options),
    logLevel: options.logLevel,
    wantsLogs: true,
    onNotice: tell,
    spoken,
  });
  const followed = { tools: true, prompts: false, resources: false, uris: [] };
  void connection.follow(followed).catch(() => {}); // lists only, which no server refuses to tell of
  const credentials = new GivenCredentials(connection);
  const isGivenAnew = observer.isKept === true && typeof options.transport === "function";
  return {
    server: isGivenAnew ? credentials : connection,
    isOpen: () => connection.isOpen && !credentials.areRefused,
    readResource: (uri, asked) => connection.request("resources/read", { uri }, asked),
    close: () => connection.close(),
    abandon: () => connection.abandon(),
  };
}

const tellingOf =
  ({ name, observer }: ToolsetOpening): ((code: string, message: string) => void) =>
  (code, message) =>
    observer.notice(code, `MCP server "${name}": ${message}`);

async function configFor({
  options,
  name,
  where,
  binding,
}: ToolsetOpening): Promise<McpConnectionConfig> {
  const { transport, timeoutMs, limits, protocol, disabledTools } = options;
  const settings = {
    ...(protocol === undefined ? {} : { protocol }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(limits === undefined ? {} : { limits }),
    ...(disabledTools === undefined ? {} : { disabledTools }),
  };
  if (transport !== undefined && typeof transport !== "function") {
    return { name, transport, ...settings };
  }
  const answer = await calling(`The transport function of ${where}`, binding, async () =>
    untilAborted(Promise.resolve(transport?.(binding)), binding.signal),
  );
  const checked = isCustomTransport(answer)
    ? answer
    : parseMcpTransport(answer, `The transport of ${where}`);
  return { name, transport: checked, ...settings };
}

/** What the server says of itself. */
function greetingOf(
  { server }: UsedConnection,
  { options, name }: ToolsetOpening,
): Pick<OpenToolset, "serverInfo" | "instructions"> {
  const { serverInfo, instructions } = server;
  const isTold = options.instructions === "include" && instructions !== undefined;
  return {
    serverInfo,
    ...(isTold ? { instructions: fencedInstructions(name, instructions) } : {}),
  };
}

/** What a server's definitions become the run's tools with. */
interface OfferScope extends ToolsetOpening {
  readonly used: UsedConnection;
  readonly gate: PinGate | undefined;
  notice(code: string, message: string, tool?: string): void;
}

async function toolsOf(
  definitions: readonly McpToolDefinition[],
  { options, name: server, binding, used, gate, notice }: OfferScope,
): Promise<readonly Tool[]> {
  const { mapTool, mapResult, outputMismatch = "error" } = options;
  gate?.check(definitions);
  const limits = resolveLimits(options.limits);
  const tools: Tool[] = [];
  for (const { definition, name } of selectTools(definitions, options.tools, notice)) {
    if (gate?.admits(definition.sourceName) === false) {
      continue;
    }
    const tool = toMcpTool(definition, {
      server,
      connection: used.server,
      name,
      mapResult,
      limits,
      outputMismatch,
      notice,
      suspends: options.elicitation === "suspend",
      guard: gate && ((...told) => gate.guard(...told)),
    });
    const mapped = mapTool
      ? await calling(`The mapTool of the MCP toolset "${server}"`, binding, async () =>
          mapTool(tool, { definition, binding }),
        )
      : tool;
    if (mapped !== null && !isTool(mapped)) {
      throw new ConfigurationError(
        `The mapTool of the MCP toolset "${server}" returned neither a tool nor null for "${definition.sourceName}". Return the tool that it is given, tool.with({ … }), or null to leave it out.`,
        { code: "invalid-definition" },
      );
    }
    // What takes the place of a server's tool still is the server's, for approvals above all.
    const source = { server, name: definition.sourceName };
    tools.push(...(mapped === null ? [] : [fromServer(mapped, source)]));
  }
  return tools;
}

/** Calls the application: what it throws is no failure of the server, and must not pass for one. */
async function calling<Value>(
  what: string,
  { signal }: Binding,
  callback: () => Promise<Value>,
): Promise<Value> {
  try {
    return await callback();
  } catch (cause) {
    signal.throwIfAborted();
    throw new ConfigurationError(`${what} threw: ${messageOf(cause)}`, {
      code: "callback-failed",
      cause,
    });
  }
}

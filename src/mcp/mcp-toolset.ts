import { untilAborted } from "../base/abort.ts";
import { ConfigurationError, messageOf } from "../base/dragoman-error.ts";
import type { Binding } from "../tool/binding.ts";
import { isTool, type Tool } from "../tool/tool.ts";
import type { OpenToolset, Toolset, ToolsetObserver } from "../tool/toolset.ts";
import { catalogueKeyOf } from "./catalogue-key.ts";
import { checkToolsetOptions } from "./check-toolset-options.ts";
import { isCustomTransport } from "./custom-link.ts";
import { fencedInstructions } from "./fenced-instructions.ts";
import { fetchResource } from "./fetch-resource.ts";
import { type McpConnection, openMcpConnection } from "./mcp-connection.ts";
import type { McpConnectionConfig } from "./mcp-connection-config.ts";
import { resolveLimits } from "./mcp-limits.ts";
import { toMcpTool } from "./mcp-tool.ts";
import type { McpToolsetOptions } from "./mcp-toolset-options.ts";
import { type OpenedPins, openPins } from "./open-pins.ts";
import { parseMcpTransport } from "./parse-mcp-server-config.ts";
import { PinGate } from "./pin-gate.ts";
import { isSelected, selectTools } from "./select-tools.ts";
import { SpokenProtocols } from "./spoken-protocols.ts";
import { boundTo, runEvents } from "./toolset-callbacks.ts";

/**
 * The tools of one MCP server, for agents. Each run opens a connection of its own, with its own
 * credentials where `transport` is a function, and closes it.
 *
 * Opening rejects with an `McpError` where the server cannot be used. A fault in the configuration,
 * and whatever `transport` or `mapTool` throw, is a `ConfigurationError` (with the thrown error as
 * its cause), which no `onUnavailable` keeps quiet.
 *
 * @throws ConfigurationError where the options are at fault
 */
export function mcpToolset(options: McpToolsetOptions): Toolset {
  const name = options.client === undefined ? options.name : (options.name ?? options.client.name);
  const where = `mcpToolset(${JSON.stringify(name)})`;
  checkToolsetOptions(options, name, where);
  const spoken = new SpokenProtocols();
  return {
    name,
    description: options.description,
    onUnavailable: options.onUnavailable,
    onError: options.onError,
    prefix: options.prefix,
    catalogueKey: (binding) => catalogueKeyOf(options, binding),
    open: (binding, observer) => open({ options, name, where, binding, observer, spoken }),
  };
}

interface OpenScope {
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

async function open(scope: OpenScope): Promise<OpenToolset> {
  const { binding, spoken } = scope;
  const { signal } = binding;
  signal.throwIfAborted();
  const { client, logLevel, pins } = scope.options;
  const pinned = await openPins(scope.name, pins, scope.observer.pins);
  const notice = noticesOf(scope);
  const events = runEvents(scope.observer, notice);
  if (client !== undefined) {
    const stop = client.listen(events);
    try {
      await client.connect({ signal });
      return {
        ...(await offerOf(client, scope, pinned)),
        fetch: (reference, options) =>
          fetchResource(reference, ({ uri }) => client.readResource(uri, options)),
        close: async () => stop(),
      };
    } catch (error) {
      stop();
      throw error;
    }
  }
  const connection = await openMcpConnection(await configFor(scope), {
    signal,
    actor: binding.run.actor,
    span: scope.observer.span,
    events,
    callbacks: boundTo(binding, scope.options),
    logLevel,
    wantsLogs: true,
    onNotice: notice,
    spoken,
  });
  try {
    return {
      ...(await offerOf(connection, scope, pinned)),
      isOpen: () => connection.isOpen,
      fetch: (reference, options) =>
        fetchResource(reference, (params) => connection.request("resources/read", params, options)),
      close: () => connection.close(),
    };
  } catch (error) {
    await connection.abandon();
    throw error;
  }
}

const noticesOf =
  ({ name, observer }: OpenScope): ((code: string, message: string) => void) =>
  (code, message) =>
    observer.notice(code, `MCP server "${name}": ${message}`);

async function configFor({
  options,
  name,
  where,
  binding,
}: OpenScope): Promise<McpConnectionConfig> {
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

/** What a connection gives to a run. */
async function offerOf(
  connection: Pick<McpConnection, "listTools" | "callTool" | "serverInfo" | "instructions">,
  scope: OpenScope,
  pinned: OpenedPins,
): Promise<Omit<OpenToolset, "close">> {
  const tools = await toolsOf(connection, scope, pinned);
  const { serverInfo, instructions } = connection;
  const isTold = scope.options.instructions === "include" && instructions !== undefined;
  return {
    tools,
    serverInfo,
    ...(isTold ? { instructions: fencedInstructions(scope.name, instructions) } : {}),
  };
}

async function toolsOf(
  connection: Pick<McpConnection, "listTools" | "callTool">,
  scope: OpenScope,
  pinned: OpenedPins,
): Promise<readonly Tool[]> {
  const { options, name: server, binding } = scope;
  const { mapTool, mapResult } = options;
  const tell = noticesOf(scope);
  const notice = (code: string, message: string, tool?: string): void => {
    if (tool === undefined || isSelected(tool, options.tools)) {
      tell(code, message);
    }
  };
  const definitions = await connection.listTools({
    signal: binding.signal,
    notice,
    span: scope.observer.span,
  });
  const isWanted = (tool: string): boolean => isSelected(tool, options.tools);
  const gate = pinned.mode === "off" ? undefined : new PinGate({ ...pinned, isWanted, notice });
  gate?.check(definitions);
  const limits = resolveLimits(options.limits);
  const { outputMismatch = "error" } = options;
  const tools: Tool[] = [];
  for (const { definition, name } of selectTools(definitions, options.tools, notice)) {
    if (gate?.admits(definition.sourceName) === false) {
      continue;
    }
    const tool = toMcpTool(definition, {
      server,
      connection,
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
    tools.push(...(mapped === null ? [] : [mapped]));
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

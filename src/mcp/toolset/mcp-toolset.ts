import { ConfigurationError } from "../../base/dragoman-error.ts";
import { isJsonObject } from "../../base/json.ts";
import type { Toolset } from "../../tool/toolset.ts";
import { SpokenProtocols } from "../wire/spoken-protocols.ts";
import { catalogueKeyOf } from "./catalogue-key.ts";
import { checkToolsetOptions } from "./check-toolset-options.ts";
import type { McpToolsetOptions } from "./mcp-toolset-options.ts";
import { openMcpToolset } from "./open-mcp-toolset.ts";

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
  if (!isJsonObject(options)) {
    throw new ConfigurationError("mcpToolset needs an object: mcpToolset({ name, transport }).", {
      code: "invalid-configuration",
    });
  }
  const name = options.client === undefined ? options.name : (options.name ?? options.client.name);
  const where = `mcpToolset(${typeof name === "string" ? JSON.stringify(name) : "…"})`;
  checkToolsetOptions(options, name, where);
  const spoken = new SpokenProtocols();
  return {
    name,
    description: options.description,
    onUnavailable: options.onUnavailable,
    onError: options.onError,
    prefix: options.prefix,
    catalogueKey: (binding, pins) => catalogueKeyOf(options, binding, pins),
    open: (binding, observer) =>
      openMcpToolset({ options, name, where, binding, observer, spoken }),
  };
}

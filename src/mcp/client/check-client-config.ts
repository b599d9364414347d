import { checkObject } from "../../base/check-object.ts";
import { ConfigurationError } from "../../base/dragoman-error.ts";
import { isJsonObject } from "../../base/json.ts";
import { parseMcpServerConfig } from "../config/parse-mcp-server-config.ts";
import type { McpConnectionConfig } from "../connection/mcp-connection-config.ts";
import { isCustomTransport } from "../wire/custom-link.ts";
import type { McpClientOptions } from "./mcp-client-options.ts";

/**
 * The configuration of a client, as it is used.
 *
 * @throws ConfigurationError `invalid-configuration` that says what is allowed.
 */
export function checkedClientConfig(config: McpConnectionConfig): McpConnectionConfig {
  const name: unknown = config?.name;
  const where = typeof name === "string" ? `McpClient ${JSON.stringify(name)}` : "new McpClient(…)";
  if (!isJsonObject(config)) {
    throw new ConfigurationError(`${where}: the configuration must be an object.`, {
      code: "invalid-configuration",
    });
  }
  const { transport, ...rest } = config;
  if (!isCustomTransport(transport)) {
    return parseMcpServerConfig(config, where);
  }
  // The rest is checked with another transport in the place of one that cannot be.
  parseMcpServerConfig({ ...rest, transport: { type: "stdio", command: "?" } }, where);
  return config;
}

/** Every option, so that the compiler misses none here. */
const optionNames: Readonly<Record<keyof McpClientOptions, true>> = {
  onNotification: true,
  onNotice: true,
  logLevel: true,
  actor: true,
  clock: true,
  onElicitation: true,
  onSampling: true,
  roots: true,
  onLog: true,
  onToolsChanged: true,
  onPromptsChanged: true,
  onResourcesChanged: true,
  onResourceUpdated: true,
};

/** @throws ConfigurationError where an option is not known: a callback that nobody calls is hard to find. */
export function checkClientOptions(options: McpClientOptions, name: string): void {
  const what = `set of options of McpClient ${JSON.stringify(name)}`;
  checkObject(options, Object.keys(optionNames), what);
}

import parseArgsStringToArgv from "string-argv";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { isLoopbackHost } from "../base/loopback-host.ts";
import { redactUrl } from "../base/redact-url.ts";
import { parseMcpServerConfig } from "../mcp/config/parse-mcp-server-config.ts";
import type { McpServerConfig, McpTransport } from "../tool/mcp-server-config.ts";

/**
 * The server that a `--server` argument means: a URL, or a command with its arguments, split as a
 * shell would (no shell runs it). A loopback `http:` or `ws:` URL is allowed here, since a person typed it.
 *
 * @param taken aliases that other servers have.
 * @throws ConfigurationError where it is neither.
 */
export function parseServerArgument(argument: string, taken: ReadonlySet<string>): McpServerConfig {
  const transport = /^[a-z][a-z0-9+.-]*:\/\//i.test(argument)
    ? toUrlTransport(argument)
    : toStdioTransport(argument);
  const name = freshAlias(aliasOf(transport), taken);
  return parseMcpServerConfig({ name, transport }, `--server ${JSON.stringify(name)}`);
}

/** The alias, or where another server has it, the alias with the first number that is free. */
export function freshAlias(alias: string, taken: ReadonlySet<string>): string {
  let fresh = alias;
  for (let count = 2; taken.has(fresh); count += 1) {
    fresh = `${alias}-${count}`;
  }
  return fresh;
}

function toUrlTransport(argument: string): McpTransport {
  if (!URL.canParse(argument)) {
    throw invalid(
      "--server was given a URL that is not valid: write it whole, as in https://host/mcp.",
    );
  }
  const url = new URL(argument);
  if (!/^(?:http|ws)s?:$/.test(url.protocol)) {
    throw invalid(
      `--server takes an http:, https:, ws: or wss: URL, or a command; "${url.protocol}" is neither.`,
    );
  }
  const insecure = url.protocol === "http:" || url.protocol === "ws:";
  if (insecure && !isLoopbackHost(url.hostname)) {
    throw invalid(
      `--server ${redactUrl(url)}: anyone on the way can read what goes over plain ${url.protocol.replace(":", "")}. Use ${url.protocol.replace(":", "s:")}; or, for a server in a network of your own, name it in an mcpServers file with "allowInsecureHttp": true, and give that with --mcp.`,
    );
  }
  return {
    type: url.protocol.startsWith("ws") ? "ws" : "streamable-http",
    url: argument,
    ...(insecure ? { allowInsecureHttp: true } : {}),
  };
}

function toStdioTransport(argument: string): McpTransport {
  const [command, ...args] = parseArgsStringToArgv(argument);
  if (command === undefined) {
    throw invalid('--server is empty: give a command, such as "npx -y some-server", or a URL.');
  }
  return { type: "stdio", command, args };
}

/** Programs that only start others: the interesting word comes after them. */
const launchers = new Set(["npx", "node", "uvx", "uv", "bunx", "bun", "deno", "python", "python3"]);

/** Words that name no server, wherever they stand. */
const dull = new Set([
  "run",
  "dist",
  "build",
  "src",
  "lib",
  "bin",
  "index",
  "main",
  "server",
  "mcp",
]);

function aliasOf(transport: McpTransport): string {
  if (transport.type !== "stdio") {
    return new URL(transport.url).hostname.replace(/^\[|\]$/g, "");
  }
  const words = [transport.command, ...(transport.args ?? [])]
    .filter((word) => !word.startsWith("-"))
    .map((word) => word.split(/[/\\]/).map(plainPart));
  const telling = words.find((parts) => !launchers.has(parts.at(-1) ?? ""));
  return telling?.findLast((part) => part !== "" && !dull.has(part)) ?? "server";
}

/** `server-memory`, `index.js`, `mcp-proxy@1.2` without what says nothing. */
const plainPart = (part: string): string =>
  part.replace(/\.[cm]?[jt]s$|\.py$|\.exe$|@[\d.]+$/g, "").replace(/^(mcp-)?server-|^mcp-/, "");

const invalid = (message: string): ConfigurationError =>
  new ConfigurationError(message, { code: "invalid-configuration" });

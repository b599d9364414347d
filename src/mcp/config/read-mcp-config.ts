import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import {
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { didYouMean } from "../../base/closest-name.ts";
import { ConfigurationError, messageOf } from "../../base/dragoman-error.ts";
import { isJsonObject } from "../../base/json.ts";
import type { McpServerConfig } from "../../tool/mcp-server-config.ts";
import { ConfigFault, type ConfigPath } from "../wire/config-shape.ts";
import { fromDesktopEntry, type ReadMcpConfigOptions } from "./desktop-entry.ts";

/**
 * Reads the file in which desktop clients keep their MCP servers:
 * `{ "mcpServers": { name: { command, args, env, cwd } | { type?, url, headers } } }`, each server
 * also with `description`, `timeoutMs` (or `timeout`, milliseconds too), `disabled` and
 * `disabledTools`; for a URL also the other settings of a transport, save functions. Comments and trailing commas are
 * allowed, and `${NAME}` and `${NAME:-default}` in texts are taken from `env`. Disabled servers are
 * left out; what else is in the file beside `mcpServers` is another program's, and so are keys of a
 * server that only a desktop client can use (`autoApprove`, `alwaysAllow`, …).
 *
 * @throws ConfigurationError `invalid-configuration` with file and line, on the first fault; where
 *   `onFault` is given, only on a fault of the file as a whole.
 */
export async function readMcpConfig(
  file: string,
  options: ReadMcpConfigOptions,
): Promise<readonly McpServerConfig[]> {
  if (!isJsonObject(options?.env)) {
    throw new ConfigurationError(
      "readMcpConfig needs { env }: where the variables of the file are looked up, such as process.env.",
      { code: "invalid-configuration" },
    );
  }
  const text = await readText(file);
  const root = parse(file, text);
  const servers = findNodeAtLocation(root, ["mcpServers"]);
  const report = (node: Node, fault: ConfigFault | string): ConfigurationError =>
    at(file, text, node.offset, fault);
  if (servers?.type !== "object") {
    throw report(servers ?? root, servers === undefined ? noServers(root) : noObject);
  }
  const configs: McpServerConfig[] = [];
  const names = new Set<string>();
  for (const property of servers.children ?? []) {
    const [key, value] = property.children ?? [];
    if (key === undefined || value === undefined) {
      continue; // the parser has reported such a property as a syntax error
    }
    const name = String(key.value);
    try {
      const config = tryEntry({ name, key, value, names }, options, report);
      configs.push(...(config === undefined ? [] : [config]));
    } catch (error) {
      tellFault(name, error, options);
    }
  }
  return configs;
}

const noObject = `"mcpServers" must be an object of servers by name.`;

function noServers(root: Node): string {
  const keys = root.type === "object" ? Object.keys(getNodeValue(root)) : [];
  const close = keys.find((key) => didYouMean(key, ["mcpServers"]) !== "" || key === "servers");
  return `There is no "mcpServers" in the file${close === undefined ? "" : `, but "${close}": rename it`}. It must hold { "mcpServers": { "name": { "command": … } } }.`;
}

/** An entry of `mcpServers`, and the names that entries before it have. */
interface Entry {
  readonly name: string;
  readonly key: Node;
  readonly value: Node;
  readonly names: Set<string>;
}

function tryEntry(
  { name, key, value, names }: Entry,
  options: ReadMcpConfigOptions,
  report: (node: Node, fault: ConfigFault | string) => ConfigurationError,
): McpServerConfig | undefined {
  if (names.has(name)) {
    throw report(key, `There are two servers of the name "${name}".`);
  }
  names.add(name);
  try {
    return fromDesktopEntry(name, getNodeValue(value), options);
  } catch (fault) {
    if (fault instanceof ConfigFault) {
      throw report(
        nearest(value, fault.path),
        new ConfigFault([], `Server "${name}": ${fault.message}`),
      );
    }
    throw fault;
  }
}

/** Tells of the fault where somebody listens; else throws it. */
function tellFault(name: string, error: unknown, { onFault }: ReadMcpConfigOptions): void {
  if (onFault === undefined || !ConfigurationError.is(error)) {
    throw error;
  }
  onFault({ name, error });
}

/** The node at a path of an entry, or the innermost one on the way there that exists. */
function nearest(entry: Node, path: ConfigPath): Node {
  for (let length = path.length; length > 0; length -= 1) {
    const found = findNodeAtLocation(entry, [...path.slice(0, length)]);
    if (found !== undefined) {
      return found.parent?.type === "property" ? found.parent : found;
    }
  }
  return entry;
}

async function readText(file: string): Promise<string> {
  try {
    const text = await readFile(file, "utf8");
    return text.replace(/^\ufeff/, "");
  } catch (cause) {
    const isMissing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
    const why = isMissing ? `there is no file ${resolve(file)}` : messageOf(cause);
    throw new ConfigurationError(`The MCP configuration ${file} cannot be read: ${why}.`, {
      code: "invalid-configuration",
      cause,
    });
  }
}

function parse(file: string, text: string): Node {
  refuseDepth(file, text);
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) {
    throw at(file, text, first.offset, `This is not JSON: ${wordsFor(first)}.`);
  }
  if (root === undefined) {
    throw at(file, text, 0, "The file is empty.");
  }
  return root;
}

/** No configuration is as deep, and the parser calls itself for each level. */
const deepest = 100;

function refuseDepth(file: string, text: string): void {
  const scanner = createScanner(text, true);
  let depth = 0;
  while (scanner.getPosition() < text.length) {
    scanner.scan();
    const sign = text.charAt(scanner.getTokenOffset()); // of a text it is the quotation mark
    if (/[{[]/.test(sign)) {
      depth += 1;
    } else if (/[}\]]/.test(sign)) {
      depth -= 1;
    }
    if (depth > deepest) {
      const offset = scanner.getTokenOffset();
      throw at(file, text, offset, `This is nested more than ${deepest} levels deep.`);
    }
  }
}

/** `CloseBraceExpected` as `close brace expected`. */
const wordsFor = ({ error }: ParseError): string =>
  printParseErrorCode(error)
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();

function at(
  file: string,
  text: string,
  offset: number,
  fault: ConfigFault | string,
): ConfigurationError {
  const line = text.slice(0, offset).split("\n").length;
  const message = typeof fault === "string" ? fault : fault.message;
  return new ConfigurationError(`${file}:${line}: ${message}`, {
    code: "invalid-configuration",
    ...(typeof fault === "string" ? {} : { cause: fault }),
  });
}

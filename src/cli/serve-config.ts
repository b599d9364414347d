import { readFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import type { AgentDefinition, AgentMode } from "../agent/agent-definition.ts";
import type { Assembly } from "../agent/assembly.ts";
import { runtimeOf } from "../agent/create-assembly.ts";
import { ConfigurationError, messageOf } from "../base/dragoman-error.ts";
import type { Dragoman } from "../configure.ts";
import { fromDesktopEntry } from "../mcp/config/desktop-entry.ts";
import {
  ConfigFault,
  type ConfigPath,
  type Fields,
  fieldsAt,
  refuseUnknownKeys,
} from "../mcp/wire/config-shape.ts";
import { isModelId, noSuchModel } from "../provider-ids.ts";
import type { ServerOptions } from "../server/server-options.ts";
import type { McpServerConfig } from "../tool/mcp-server-config.ts";
import { toWebhooks } from "./serve-webhooks.ts";

/** What a configuration file of `dragoman serve` says. */
export interface ServeConfig {
  readonly agents: readonly Assembly[];
  /** Webhooks. Only a module can say more: who may come in, what MCP clients are offered, and so on. */
  readonly options: Partial<ServerOptions>;
}

/** Where agents of a file are made, and where its `${NAME}` are looked up. */
export interface ServeConfigScope {
  readonly dragoman: Dragoman;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads a configuration file: JSON with `agents` and, for all of them, `mcpServers`, and
 * `webhooks`; or a module
 * (`.js`, `.mjs`, `.ts`, `.mts`) that exports `agents` and, if it likes, `server`, which are options of
 * `createServer`. A module is a program, and is run.
 *
 * @throws ConfigurationError that names the file and the place in it.
 */
export async function readServeConfig(file: string, scope: ServeConfigScope): Promise<ServeConfig> {
  return /^\.[cm]?[jt]s$/.test(extname(file)) ? readModule(file) : readJson(file, scope);
}

async function readModule(file: string): Promise<ServeConfig> {
  let exported: Fields;
  try {
    exported = (await import(pathToFileURL(resolve(file)).href)) as Fields; // a module is an object
  } catch (cause) {
    throw invalid(`${file} cannot be loaded: ${messageOf(cause)}`, cause);
  }
  const { agents, server = {} } = exported;
  if (!Array.isArray(agents) || agents.length === 0) {
    throw invalid(`${file} must export agents: export const agents = [support];`);
  }
  const wrong = agents.findIndex((agent) => !isAssembly(agent));
  if (wrong >= 0) {
    throw invalid(
      `${file}: agents[${wrong}] is no agent of the dragoman that runs this command. Where it is one, two copies are installed: run the project's own with npx dragoman.`,
    );
  }
  if (typeof server !== "object" || server === null) {
    throw invalid(`${file}: server must be an object of options for createServer.`);
  }
  return { agents, options: server };
}

const isAssembly = (value: unknown): value is Assembly =>
  typeof value === "object" && value !== null && runtimeOf(value) !== undefined;

async function readJson(file: string, scope: ServeConfigScope): Promise<ServeConfig> {
  try {
    return toConfig(parseText(file, await readText(file)), scope);
  } catch (thrown) {
    if (thrown instanceof ConfigFault) {
      const place = thrown.path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`));
      throw invalid(`${file}: ${place.join("").replace(/^\./, "")}: ${thrown.message}`, thrown);
    }
    throw thrown;
  }
}

async function readText(file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).replace(/^\ufeff/, "");
  } catch (cause) {
    const isMissing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
    const why = isMissing ? `there is no file ${resolve(file)}` : messageOf(cause);
    throw invalid(`The configuration ${file} cannot be read: ${why}.`, cause);
  }
}

function parseText(file: string, text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) {
    const line = text.slice(0, first.offset).split("\n").length;
    throw invalid(`${file}:${line}: This is not JSON: ${printParseErrorCode(first.error)}.`);
  }
  return value;
}

function toConfig(value: unknown, scope: ServeConfigScope): ServeConfig {
  const fields = fieldsAt(value, [], "the configuration");
  refuseUnknownKeys(fields, ["$schema", "agents", "mcpServers", "webhooks"], {
    path: [],
    what: "the configuration",
  });
  const webhooks = toWebhooks(fields["webhooks"], scope.env);
  const options = Object.keys(webhooks).length === 0 ? {} : { webhooks };
  return { agents: toAgents(fields, scope), options };
}

function toAgents(fields: Fields, scope: ServeConfigScope): readonly Assembly[] {
  const { agents } = fields;
  if (!Array.isArray(agents) || agents.length === 0) {
    throw new ConfigFault(["agents"], 'It must be a list such as [{ "name": "support" }].');
  }
  const shared = toServers(fields["mcpServers"], ["mcpServers"], scope);
  return agents.map((agent, index) => toAgent(agent, ["agents", index], { shared, scope }));
}

const agentKeys = ["name", "description", "instructions", "model", "mode", "mcpServers"];

function toAgent(
  value: unknown,
  path: ConfigPath,
  { shared, scope }: { shared: readonly McpServerConfig[]; scope: ServeConfigScope },
): Assembly {
  const fields = fieldsAt(value, path, "an agent");
  refuseUnknownKeys(fields, agentKeys, { path, what: "the agent" });
  const { mcpServers, ...texts } = fields;
  for (const [key, text] of Object.entries(texts)) {
    if (typeof text !== "string" || text.trim() === "") {
      throw new ConfigFault([...path, key], "It must be a text.");
    }
  }
  const { name, description, instructions, model, mode } = texts as Record<string, string>; // see above
  if (name === undefined) {
    throw new ConfigFault([...path, "name"], "An agent needs a name.");
  }
  if (model !== undefined && !isModelId(model)) {
    throw new ConfigFault([...path, "model"], noSuchModel(model));
  }
  const definition: AgentDefinition<undefined> = {
    name,
    mcp: [...shared, ...toServers(mcpServers, [...path, "mcpServers"], scope)],
    ...(description === undefined ? {} : { description }),
    ...(instructions === undefined ? {} : { instructions }),
    ...(model === undefined ? {} : { model }),
    ...(mode === undefined ? {} : { mode: mode as AgentMode }), // defineAgent checks it
  };
  return scope.dragoman.defineAgent(definition);
}

function toServers(
  value: unknown,
  path: ConfigPath,
  { env }: ServeConfigScope,
): readonly McpServerConfig[] {
  const entries = value === undefined ? {} : fieldsAt(value, path, '"mcpServers"');
  return Object.entries(entries).flatMap(([name, entry]) => {
    try {
      return fromDesktopEntry(name, entry, { env, allowInsecureLoopback: true }) ?? [];
    } catch (fault) {
      throw fault instanceof ConfigFault
        ? new ConfigFault([...path, name, ...fault.path], fault.message)
        : fault;
    }
  });
}

const invalid = (message: string, cause?: unknown): ConfigurationError =>
  new ConfigurationError(message, { code: "invalid-configuration", cause });

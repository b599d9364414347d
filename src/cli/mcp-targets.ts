import { didYouMean } from "../base/closest-name.ts";
import type { ConfigurationError } from "../base/dragoman-error.ts";
import type { McpConfigFault } from "../mcp/config/desktop-entry.ts";
import { readMcpConfig } from "../mcp/config/read-mcp-config.ts";
import { secretsOfTransport } from "../mcp/secrets/transport-secrets.ts";
import type { McpServerConfig } from "../tool/mcp-server-config.ts";
import { CliError } from "./cli-error.ts";
import { freshAlias, parseServerArgument } from "./server-argument.ts";

/** Where servers are named on the command line. */
export interface ServerChoice {
  /** Files with `mcpServers`. */
  readonly mcp: readonly string[];
  /** Commands or URLs. */
  readonly server: readonly string[];
}

/** A server that was named, or an entry of a file that cannot be used as it is written. */
export type McpTarget =
  | {
      readonly kind: "server";
      readonly name: string;
      readonly config: McpServerConfig;
      /** Named by `--server`, not by a file. */
      readonly typed: boolean;
      /** What the file calls it, where an earlier server has that name. */
      readonly writtenName?: string;
    }
  | { readonly kind: "fault"; readonly name: string; readonly error: ConfigurationError };

/** The targets that are servers. */
export type ServerTarget = Extract<McpTarget, { kind: "server" }>;

/**
 * All servers that are named: those of the files, those that were typed, and the entries at fault.
 * Each has a name of its own.
 *
 * @throws ConfigurationError for a file that cannot be read, and a `--server` that is neither a
 *   command nor a URL.
 */
export async function readTargets(
  { mcp, server }: ServerChoice,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly McpTarget[]> {
  const faults: McpConfigFault[] = [];
  const onFault = (fault: McpConfigFault): void => void faults.push(fault);
  const read = await Promise.all(mcp.map((file) => readMcpConfig(file, { env, onFault })));
  const taken = new Set<string>();
  const named = (alias: string): string => {
    const name = freshAlias(alias, taken);
    taken.add(name);
    return name;
  };
  const filed = read.flat().map((config): McpTarget => {
    const name = named(config.name);
    const writtenName = name === config.name ? {} : { writtenName: config.name };
    return { kind: "server", name, config: { ...config, name }, typed: false, ...writtenName };
  });
  const typed = server.map((argument): McpTarget => {
    const config = parseServerArgument(argument, taken);
    taken.add(config.name);
    return { kind: "server", name: config.name, config, typed: true };
  });
  const broken = faults.map(
    ({ name, error }): McpTarget => ({ kind: "fault", name: named(name), error }),
  );
  return [...filed, ...typed, ...broken];
}

/** The same where at least one server must be named. @throws CliError where none is */
export async function readSomeTargets(
  choice: ServerChoice,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly McpTarget[]> {
  if (choice.mcp.length === 0 && choice.server.length === 0) {
    throw unusable(
      'No server is named: give a file with --mcp FILE, or a command or URL, as in --server "npx -y some-server".',
    );
  }
  const targets = await readTargets(choice, env);
  if (targets.length === 0) {
    throw unusable(`${choice.mcp.join(", ")}: there is no server that is not disabled.`);
  }
  return targets;
}

/** The target of that name. @throws CliError where there is none; it says which there are */
export function targetNamed(targets: readonly McpTarget[], name: string): McpTarget {
  const found = targets.find((target) => target.name === name);
  if (found === undefined) {
    const names = targets.map((target) => target.name);
    const list = names.slice(0, 20).join(", ");
    throw new CliError(
      `No server is called ${JSON.stringify(name)}.${didYouMean(name, names)} There ${names.length === 1 ? "is" : "are"}: ${list}${names.length > 20 ? ", …" : ""}.`,
      { code: "unknown-server" },
    );
  }
  return found;
}

/** The server of that name. @throws CliError where there is none, ConfigurationError where its entry is at fault */
export function serverNamed(targets: readonly McpTarget[], name: string): ServerTarget {
  const target = targetNamed(targets, name);
  if (target.kind === "fault") {
    throw target.error;
  }
  return target;
}

/** The values that no output may hold. */
export function secretsOf(target: McpTarget): readonly string[] {
  return target.kind === "server" ? secretsOfTransport(target.config.transport) : [];
}

const unusable = (message: string): CliError => new CliError(message, { code: "invalid-usage" });

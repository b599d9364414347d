import { didYouMean } from "../../base/closest-name.ts";
import { ConfigurationError } from "../../base/dragoman-error.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import { parseMcpServerConfig } from "../config/parse-mcp-server-config.ts";
import { faultOfPins } from "../definitions/open-pins.ts";
import { checkSelection } from "../definitions/select-tools.ts";
import { faultOfInstructions } from "../text/fenced-instructions.ts";
import { isCustomTransport } from "../wire/custom-link.ts";
import type {
  McpToolsetClient,
  McpToolsetOptions,
  McpToolsetServer,
  McpToolsetSettings,
} from "./mcp-toolset-options.ts";

/**
 * @param where names the toolset in errors.
 * @throws ConfigurationError `invalid-configuration` that says what is allowed.
 */
export function checkToolsetOptions(options: McpToolsetOptions, name: string, where: string): void {
  refuseUnknownOptions(options, where);
  checkServer(options, name, where);
  checkSelection(options.tools, where);
  checkPolicy(options.outputMismatch, where);
  checkPins(options, where);
}

function checkServer(options: McpToolsetOptions, name: string, where: string): void {
  const { description, transport, timeoutMs, limits, protocol, disabledTools, client } = options;
  if (client !== undefined && transport !== undefined) {
    throw new ConfigurationError(
      `${where}: There is both a "client" and a "transport". Give one of them.`,
      { code: "invalid-configuration" },
    );
  }
  // A transport that is known already is checked now; the place of one that is not is held by another.
  const isKnown =
    client === undefined && typeof transport !== "function" && !isCustomTransport(transport);
  const known = isKnown ? transport : { type: "stdio", command: "?" };
  parseMcpServerConfig(
    withoutUndefined({
      name,
      description,
      timeoutMs,
      limits,
      protocol,
      disabledTools,
      transport: known,
    }),
    where,
  );
}

/** Every option, so that the compiler misses none here. */
const optionNames: Readonly<
  Record<keyof McpToolsetSettings | keyof McpToolsetServer | keyof McpToolsetClient, true>
> = {
  name: true,
  description: true,
  transport: true,
  client: true,
  timeoutMs: true,
  protocol: true,
  logLevel: true,
  elicitation: true,
  onElicitation: true,
  onSampling: true,
  roots: true,
  limits: true,
  disabledTools: true,
  outputMismatch: true,
  tools: true,
  mapTool: true,
  mapResult: true,
  onUnavailable: true,
  onError: true,
  prefix: true,
  pins: true,
  instructions: true,
};

function refuseUnknownOptions(options: McpToolsetOptions, where: string): void {
  const names = Object.keys(optionNames);
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new ConfigurationError(
      `${where}: Unknown option "${unknown}".${didYouMean(unknown, names)} Allowed: ${names.join(", ")}.`,
      { code: "invalid-configuration" },
    );
  }
}

const policies: readonly (string | undefined)[] = ["error", "warn", "ignore", undefined];

function checkPolicy(policy: unknown, where: string): void {
  if (!policies.some((known) => known === policy)) {
    throw new ConfigurationError(
      `${where}: "outputMismatch" must be "error", "warn" or "ignore", got ${JSON.stringify(policy)}.`,
      { code: "invalid-configuration" },
    );
  }
}

function checkPins(options: McpToolsetOptions, where: string): void {
  const fault = faultOfPins(options.pins) ?? faultOfInstructions(options.instructions);
  if (fault !== undefined) {
    throw new ConfigurationError(`${where}: ${fault}`, { code: "invalid-configuration" });
  }
}

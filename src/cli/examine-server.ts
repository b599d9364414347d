import type { McpConnection } from "../mcp/connection/mcp-connection.ts";
import { openMcpConnection } from "../mcp/connection/open-mcp-connection.ts";
import type { McpToolDefinition } from "../mcp/definitions/tool-definition.ts";
import type { McpServerConfig } from "../tool/mcp-server-config.ts";
import { examineAddress } from "./examine-address.ts";
import { examineProgram, type Machine } from "./examine-program.ts";
import { explainFailure } from "./explain-failure.ts";
import { type Finding, finding } from "./finding.ts";
import { mayBeElsewhere, probeAddress } from "./probe-address.ts";

/** What has been found out about one server. */
export interface Examination {
  readonly findings: readonly Finding[];
  /** Where it could be connected. */
  readonly connected?: ConnectedServer;
}

/** What a server says of itself. */
export interface ConnectedServer {
  readonly afterMs: number;
  readonly protocolVersion: string;
  readonly serverInfo: McpConnection["serverInfo"];
  readonly tools: readonly McpToolDefinition[];
}

/** How a server is examined. */
export interface ExaminationScope {
  readonly machine: Machine;
  readonly signal: AbortSignal;
  /** How long a server that is slow is waited for, in milliseconds, beyond what it is configured to take. */
  readonly patienceMs: number;
}

/** Where the configuration says nothing, in milliseconds. */
const usualTimeoutMs = 15_000;

/**
 * Examines one server: its configuration first, then by connecting and listing its tools. It is given
 * more time than its configuration allows, so that a slow one can be told from a dead one.
 */
export async function examineServer(
  config: McpServerConfig,
  scope: ExaminationScope,
): Promise<Examination> {
  const { transport } = config;
  const before =
    transport.type === "stdio"
      ? examineProgram(transport, scope.machine)
      : examineAddress(transport);
  if (before.some(({ severity }) => severity === "error")) {
    return { findings: before };
  }
  const { findings, connected } = await tryServer(config, scope);
  return { findings: [...findings, ...before], ...(connected === undefined ? {} : { connected }) };
}

async function tryServer(
  config: McpServerConfig,
  { signal, patienceMs, machine }: ExaminationScope,
): Promise<Examination> {
  const limitMs = config.timeoutMs ?? usualTimeoutMs;
  const patient = { ...config, timeoutMs: Math.max(limitMs, patienceMs) };
  const { transport } = config;
  const start = performance.now();
  try {
    const connection = await openMcpConnection(patient, { signal });
    try {
      const afterMs = Math.round(performance.now() - start);
      return await examineConnection(connection, { afterMs, limitMs, signal });
    } finally {
      await connection.close();
    }
  } catch (thrown) {
    signal.throwIfAborted();
    const findings = explainFailure({ config: patient, thrown, env: machine.env });
    const elsewhere =
      transport.type !== "stdio" && mayBeElsewhere(thrown)
        ? await probeAddress({ ...config, transport }, signal)
        : [];
    return { findings: [...findings, ...elsewhere] };
  }
}

async function examineConnection(
  connection: McpConnection,
  {
    afterMs,
    limitMs,
    signal,
  }: { readonly afterMs: number; readonly limitMs: number; readonly signal: AbortSignal },
): Promise<Examination> {
  const notices: Finding[] = [];
  const tools = await connection.listTools({
    signal,
    notice: (code, message) =>
      void notices.push(finding("warning", code, { message, advice: adviceOn(code) })),
  });
  const { protocolVersion, serverInfo } = connection.greeting;
  return {
    findings: [
      ...examineSpeed(afterMs, limitMs),
      ...examineOutput(connection),
      ...examineRevision(protocolVersion),
      ...examineTools(tools),
      ...notices,
    ],
    connected: { afterMs, protocolVersion, serverInfo, tools },
  };
}

function examineSpeed(afterMs: number, limitMs: number): readonly Finding[] {
  if (afterMs <= limitMs / 2) {
    return [];
  }
  const enoughMs = Math.ceil((afterMs * 2) / 1000) * 1000;
  const words = {
    message: `It took ${afterMs} ms to connect, and may take ${limitMs} ms.`,
    advice: `Set "timeoutMs": ${enoughMs}; or, for a server that is downloaded at its start, install it beforehand.`,
  };
  return [finding(afterMs > limitMs ? "error" : "warning", "slow-start", words)];
}

function examineOutput({ strayOutput }: McpConnection): readonly Finding[] {
  return strayOutput === undefined
    ? []
    : [
        finding("warning", "prints-to-stdout", {
          message: `It wrote ${strayOutput.lines} line(s) to its standard output that are not MCP; other clients may fail on them.`,
          evidence: [strayOutput.last],
          advice:
            "The server should write its log to standard error: look for an option that makes it quiet.",
        }),
      ];
}

/** Before this revision there was no streamable HTTP, and no annotations of tools. */
const recentRevision = "2025-03-26";

function examineRevision(protocolVersion: string): readonly Finding[] {
  return protocolVersion >= recentRevision
    ? []
    : [
        finding("info", "old-revision", {
          message: `It speaks the revision ${protocolVersion} of MCP, which has been followed by others.`,
          advice: "Look for a newer version of the server.",
        }),
      ];
}

/** So many characters of JSON make about one token. */
const charactersPerToken = 4;

const manyTokens = 10_000;

function examineTools(tools: readonly McpToolDefinition[]): readonly Finding[] {
  if (tools.length === 0) {
    return [
      finding("warning", "no-tools", {
        message: "It publishes no tool that can be used.",
        advice: "Does it want other credentials or options to publish them?",
      }),
    ];
  }
  const characters = tools.map(
    ({ description, inputSchema }) => JSON.stringify([description, inputSchema]).length,
  );
  const tokens = Math.round(characters.reduce((sum, one) => sum + one, 0) / charactersPerToken);
  return tokens < manyTokens
    ? []
    : [
        finding("info", "many-tools", {
          message: `The definitions of its ${tools.length} tools take about ${tokens} tokens of every prompt.`,
          advice: 'Choose those that you need by "tools" of the toolset, or let discovery choose.',
        }),
      ];
}

function adviceOn(code: string): string {
  if (code === "mcp-tool-changed") {
    return "Read the definition as it was sent: text that nobody sees, or that is very long, may be meant for the model only.";
  }
  if (/unusable|unchecked/.test(code)) {
    return "The tool works, but what it gets and returns is checked by the server alone.";
  }
  if (code === "mcp-tool-needs-task") {
    return "Nothing has to be done: the other tools can be used.";
  }
  return /-too-/.test(code)
    ? 'If that is expected, raise the limit that is named in "limits" of the server.'
    : "The tools that are left out have to be mended in the server.";
}

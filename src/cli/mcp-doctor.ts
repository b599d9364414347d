import { styleText } from "node:util";
import type { JsonObject } from "../base/json.ts";
import { describeTransport } from "../mcp/client/describe-transport.ts";
import { type Answer, answering } from "./answer.ts";
import type { CliStreams } from "./cli-streams.ts";
import { examineNames, examineOwnNames } from "./examine-names.ts";
import { type Examination, examineServer } from "./examine-server.ts";
import type { ExitCode } from "./exit-code.ts";
import { type Finding, finding, type Severity } from "./finding.ts";
import type { McpOptions } from "./mcp-group.ts";
import { type McpTarget, readSomeTargets, secretsOf, targetNamed } from "./mcp-targets.ts";
import { terminalLine, terminalText } from "./terminal-text.ts";
import { TokenFile } from "./token-file.ts";
import { withLogin } from "./with-login.ts";

/** How long a slow server is waited for, in milliseconds. */
const usualPatienceMs = 60_000;

/**
 * `dragoman mcp doctor`: says what is wrong with servers, what shows it and what to do. Exit code 2
 * where a server cannot be used.
 *
 * @param names of the servers to look at; none: all.
 */
export function mcpDoctor(
  names: readonly string[],
  options: McpOptions,
  streams: CliStreams,
): Promise<ExitCode> {
  return answering(options, streams, async (secrets): Promise<Answer> => {
    const all = await readSomeTargets(options, streams.env);
    secrets.push(...all.flatMap(secretsOf));
    const targets = names.length === 0 ? all : names.map((name) => targetNamed(all, name));
    const patients = await Promise.all(targets.map((target) => examine(target, options, streams)));
    const across = examineNames(
      patients.flatMap(({ target, examination: { connected } }) =>
        connected === undefined
          ? []
          : [{ server: target.name, tools: connected.tools.map((tool) => tool.sourceName) }],
      ),
    );
    const findings = [...patients.flatMap((one) => one.examination.findings), ...across];
    return {
      document: { servers: patients.map(documentOf), findings: across },
      text: [
        ...patients.map((patient) => textOf(patient, streams)),
        ...across.map((one) => findingText(one, streams)),
        summary(findings, patients.length),
      ].join("\n"),
      exitCode: findings.some(({ severity }) => severity === "error") ? 2 : 0,
    };
  });
}

interface Patient {
  readonly target: McpTarget;
  readonly examination: Examination;
}

async function examine(
  target: McpTarget,
  { timeoutMs = usualPatienceMs }: McpOptions,
  { env, signal }: CliStreams,
): Promise<Patient> {
  if (target.kind === "fault") {
    const words = {
      message: target.error.message,
      advice: "Mend this place of the file; the server is left out of every run until then.",
    };
    const findings = [finding("error", faultCode(target.error.message), words)];
    return { target, examination: { findings } };
  }
  const machine = { env, platform: process.platform };
  const config = withLogin(target.config, new TokenFile(env));
  const found = await examineServer(config, { machine, signal, patienceMs: timeoutMs });
  const names = found.connected?.tools.map(({ sourceName }) => sourceName) ?? [];
  const taken =
    target.writtenName === undefined
      ? []
      : [
          finding("warning", "server-name-taken", {
            message: `Another server is called ${JSON.stringify(target.writtenName)} as well, so this one is called ${JSON.stringify(target.name)} here.`,
            advice: "Give each server a name of its own.",
          }),
        ];
  const findings = [...found.findings, ...taken, ...examineOwnNames(names)];
  return { target, examination: { ...found, findings: findings.toSorted(bySeverity) } };
}

/** What kind of fault the words of the configuration's reader tell. */
function faultCode(message: string): string {
  const kinds = [
    [/Unknown key/, "key-unknown"],
    [/environment variable/, "variable-missing"],
    [/Invalid transport type/, "transport-type-unknown"],
    [/is not encrypted/, "plain-http-refused"],
    [/two servers of the name/, "server-name-taken"],
  ] as const;
  return kinds.find(([words]) => words.test(message))?.[1] ?? "configuration";
}

const ranks: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };

const bySeverity = (left: Finding, right: Finding): number =>
  ranks[left.severity] - ranks[right.severity];

function documentOf({ target, examination: { findings, connected } }: Patient): JsonObject {
  const { name } = target;
  return {
    name,
    ...(target.kind === "fault" ? {} : { transport: describeTransport(target.config.transport) }),
    state:
      connected !== undefined ? "connected" : target.kind === "fault" ? "misconfigured" : "failed",
    ...(connected === undefined
      ? {}
      : {
          connectedAfterMs: connected.afterMs,
          protocolVersion: connected.protocolVersion,
          ...(connected.serverInfo === undefined ? {} : { serverInfo: connected.serverInfo }),
          tools: connected.tools.length,
        }),
    findings,
  };
}

function textOf(
  { target, examination: { findings, connected } }: Patient,
  streams: CliStreams,
): string {
  const { stdout: stream } = streams;
  const broken = findings.some(({ severity }) => severity === "error");
  const sign = broken ? styleText("red", "✗", { stream }) : styleText("green", "✓", { stream });
  const state =
    connected === undefined
      ? ""
      : `  connected in ${connected.afterMs} ms · MCP ${connected.protocolVersion} · ${connected.tools.length} tools`;
  return [
    `${sign} ${styleText("bold", terminalLine(target.name, 100), { stream })}${state}`,
    ...findings.map((one) => findingText(one, streams)),
    "",
  ].join("\n");
}

const styles = { error: "red", warning: "yellow", info: "dim" } as const;

function findingText(
  { severity, code, message, evidence, advice }: Finding,
  { stdout: stream }: CliStreams,
): string {
  return [
    `  ${styleText(styles[severity], severity, { stream })} ${code}: ${terminalText(message)}`,
    ...evidence.map((line) => `    | ${terminalText(line)}`),
    `    → ${terminalText(advice)}`,
  ].join("\n");
}

function summary(findings: readonly Finding[], servers: number): string {
  const count = (severity: Severity): number =>
    findings.filter((one) => one.severity === severity).length;
  return `${servers} server(s): ${count("error")} error(s), ${count("warning")} warning(s)`;
}

import { styleText } from "node:util";
import type { JsonObject } from "../base/json.ts";
import { describeTransport, transportLine } from "../mcp/client/describe-transport.ts";
import { type Answer, answering, failureOf } from "./answer.ts";
import type { CliStreams } from "./cli-streams.ts";
import type { ExitCode } from "./exit-code.ts";
import type { McpOptions } from "./mcp-group.ts";
import { type McpTarget, readSomeTargets, type ServerTarget, secretsOf } from "./mcp-targets.ts";
import { useServer } from "./open-server.ts";
import { terminalLine, terminalText } from "./terminal-text.ts";

/**
 * `dragoman mcp list`: connects all servers side by side and shows each with its tools. Exit code 2
 * where one of them cannot be used.
 */
export function mcpList(options: McpOptions, streams: CliStreams): Promise<ExitCode> {
  return answering(options, streams, async (secrets): Promise<Answer> => {
    const targets = await readSomeTargets(options, streams.env);
    secrets.push(...targets.flatMap(secretsOf));
    const listed = await Promise.all(targets.map((target) => listOf(target, options, streams)));
    streams.signal.throwIfAborted();
    const healthy = listed.every(({ document }) => document["state"] === "connected");
    return {
      document: { servers: listed.map(({ document }) => document) },
      text: listed.map(({ text }) => text).join("\n"),
      exitCode: healthy ? 0 : 2,
    };
  });
}

/** One server, for programs and for people. */
interface ListedServer {
  readonly document: JsonObject;
  readonly text: string;
}

async function listOf(
  target: McpTarget,
  options: McpOptions,
  streams: CliStreams,
): Promise<ListedServer> {
  if (target.kind === "fault") {
    const { name, error } = target;
    return {
      document: { name, state: "misconfigured", error: failureOf(error) },
      text: failedText(name, "", error.message, streams),
    };
  }
  try {
    return await connectedServer(target, options, streams);
  } catch (thrown) {
    const { name, config } = target;
    const error = failureOf(thrown);
    return {
      document: { name, transport: describeTransport(config.transport), state: "failed", error },
      text: failedText(name, transportText(target), error.message, streams),
    };
  }
}

async function connectedServer(
  target: ServerTarget,
  options: McpOptions,
  streams: CliStreams,
): Promise<ListedServer> {
  const { name, config } = target;
  return useServer(target, { options, streams }, async (client, connectedAfterMs) => {
    const notices: { readonly code: string; readonly message: string }[] = [];
    const tools = await client.listTools({
      signal: streams.signal,
      notice: (code, message) => void notices.push({ code, message }),
    });
    const { serverInfo, protocolVersion = "" } = client;
    const document = {
      name,
      transport: describeTransport(config.transport),
      state: "connected",
      connectedAfterMs,
      protocolVersion,
      ...(serverInfo === undefined ? {} : { serverInfo }),
      tools: tools.map(({ sourceName, title, description, annotations }) => ({
        name: sourceName,
        ...(title === undefined ? {} : { title }),
        description,
        ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
      })),
      notices,
    };
    const self = serverInfo === undefined ? "" : ` · ${serverInfo.name} ${serverInfo.version}`;
    const text = [
      `${styled("green", "●", streams)} ${styled("bold", plain(name), streams)}  ${transportText(target)}`,
      `  connected in ${connectedAfterMs} ms · MCP ${plain(protocolVersion + self)} · ${counted(tools.length, "tool")}`,
      ...tools.map(
        ({ sourceName, description }) => `    ${plain(sourceName)}  ${dim(description, streams)}`,
      ),
      ...notices.map(
        ({ message }) => `  ${styled("yellow", "!", streams)} ${terminalLine(message, 300)}`,
      ),
      "",
    ];
    return { document, text: text.join("\n") };
  });
}

const transportText = ({ config: { transport } }: ServerTarget): string =>
  `${transport.type}  ${terminalLine(transportLine(transport), 120)}`;

function failedText(name: string, transport: string, why: string, streams: CliStreams): string {
  const sign = styled("red", "✗", streams);
  const lines = terminalText(why).split("\n");
  return [
    `${sign} ${styled("bold", plain(name), streams)}  ${transport}`.trimEnd(),
    ...lines.map((line) => `  ${line}`),
    "",
  ].join("\n");
}

const dim = (description: string, streams: CliStreams): string =>
  styled("dim", terminalLine(description, 90), streams);

const plain = (text: string): string => terminalLine(text, 100);

const counted = (count: number, what: string): string =>
  `${count} ${what}${count === 1 ? "" : "s"}`;

const styled = (
  style: "red" | "green" | "yellow" | "bold" | "dim",
  text: string,
  { stdout }: CliStreams,
): string => styleText(style, text, { stream: stdout });

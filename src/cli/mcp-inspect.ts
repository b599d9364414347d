import type { Json, JsonObject } from "../base/json.ts";
import { describeTransport, transportLine } from "../mcp/client/describe-transport.ts";
import type { McpClient } from "../mcp/client/mcp-client.ts";
import type { McpToolDefinition } from "../mcp/definitions/tool-definition.ts";
import { type Answer, answering } from "./answer.ts";
import type { CliStreams } from "./cli-streams.ts";
import { exampleArguments } from "./example-arguments.ts";
import type { ExitCode } from "./exit-code.ts";
import { listOfTools } from "./list-of-tools.ts";
import type { McpOptions } from "./mcp-group.ts";
import { readSomeTargets, type ServerTarget, secretsOf, serverNamed } from "./mcp-targets.ts";
import { useServer } from "./open-server.ts";
import { terminalLine, terminalText } from "./terminal-text.ts";

/** What is looked at. */
export interface InspectedThing {
  readonly server: string;
  /** The server's own name of a tool; absent: the server itself. */
  readonly tool: string | undefined;
}

/** `dragoman mcp inspect`: all that a server says of itself, or of one of its tools. */
export function mcpInspect(
  { server, tool }: InspectedThing,
  options: McpOptions,
  streams: CliStreams,
): Promise<ExitCode> {
  return answering(options, streams, async (secrets): Promise<Answer> => {
    const target = serverNamed(await readSomeTargets(options, streams.env), server);
    secrets.push(...secretsOf(target));
    return useServer(target, { options, streams }, (client) =>
      tool === undefined
        ? inspectServer(client, target, streams)
        : inspectTool(client, { server, tool }, streams),
    );
  });
}

async function inspectTool(
  client: McpClient,
  { server, tool }: { readonly server: string; readonly tool: string },
  { signal }: CliStreams,
): Promise<Answer> {
  const { named, notices } = await listOfTools(client, signal);
  const definition = named(tool);
  const { sourceName, title, description, inputSchema, outputSchema } = definition;
  const remarks = notices.filter((notice) => notice.tool === tool).map(({ message }) => message);
  const hints = annotationsOf(definition);
  const example = `dragoman mcp call ${server} ${tool} '${JSON.stringify(exampleArguments(inputSchema))}'`;
  return {
    document: {
      server,
      tool: {
        name: sourceName,
        ...(title === undefined ? {} : { title }),
        description,
        inputSchema: inputSchema as JsonObject, // it came as JSON
        ...(outputSchema === undefined ? {} : { outputSchema: outputSchema as JsonObject }),
        ...(hints === undefined ? {} : { annotations: hints }),
      },
      notices: remarks,
    },
    text: [
      `${terminalLine(sourceName, 200)}${title === undefined ? "" : `  ${terminalLine(title, 200)}`}`,
      "",
      indented(description || "(no description)"),
      section("arguments", JSON.stringify(inputSchema, undefined, 2)),
      ...(outputSchema === undefined
        ? []
        : [section("result", JSON.stringify(outputSchema, undefined, 2))]),
      ...(hints === undefined
        ? []
        : [section("annotations (claims of the server)", JSON.stringify(hints))]),
      ...remarks.map((remark) => `\n! ${terminalText(remark)}`),
      section("by hand", example),
    ].join("\n"),
    exitCode: 0,
  };
}

async function inspectServer(
  client: McpClient,
  { name, config }: ServerTarget,
  { signal }: CliStreams,
): Promise<Answer> {
  const capabilities = client.capabilities ?? {};
  const { tools, notices } = await listOfTools(client, signal);
  const has = (capability: string): boolean => capabilities[capability] !== undefined;
  const resources = has("resources") ? await client.listResources({ signal }) : [];
  const templates = has("resources") ? await client.listResourceTemplates({ signal }) : [];
  const prompts = has("prompts") ? await client.listPrompts({ signal }) : [];
  const { serverInfo, protocolVersion = "", instructions } = client;
  return {
    document: {
      server: name,
      transport: describeTransport(config.transport),
      protocolVersion,
      ...(serverInfo === undefined ? {} : { serverInfo }),
      capabilities,
      ...(instructions === undefined ? {} : { instructions }),
      tools: tools.map(({ sourceName, description }) => ({ name: sourceName, description })),
      resources,
      resourceTemplates: templates,
      prompts,
      notices: notices.map(({ code, message }) => ({ code, message })),
    },
    text: [
      `${name}  ${config.transport.type}  ${terminalLine(transportLine(config.transport), 200)}`,
      `${serverInfo === undefined ? "a server without a name" : `${serverInfo.name} ${serverInfo.version}`} · MCP ${protocolVersion}`,
      section("capabilities", Object.keys(capabilities).join(", ") || "none"),
      ...(instructions === undefined
        ? []
        : [section("instructions (no model is told them unless you say so)", instructions)]),
      section(
        `tools (${tools.length})`,
        lines(tools.map((tool) => [tool.sourceName, tool.description])),
      ),
      ...listed(
        "resources",
        resources.map(({ uri, name: called }) => [uri, called]),
      ),
      ...listed(
        "resource templates",
        templates.map(({ uriTemplate, name: called }) => [uriTemplate, called]),
      ),
      ...listed(
        "prompts",
        prompts.map((prompt) => [prompt.name, prompt.description]),
      ),
      ...notices.map(({ message }) => `\n! ${terminalText(message)}`),
    ].join("\n"),
    exitCode: 0,
  };
}

/** As the server sent them, in MCP's words. */
function annotationsOf({ raw }: McpToolDefinition): Json | undefined {
  return raw["annotations"] ?? undefined;
}

type Row = readonly [string, unknown];

const listed = (title: string, rows: readonly Row[]): readonly string[] =>
  rows.length === 0 ? [] : [section(`${title} (${rows.length})`, lines(rows))];

const lines = (rows: readonly Row[]): string =>
  rows
    .map(([name, about]) => {
      const words = typeof about === "string" ? `  ${terminalLine(about, 100)}` : "";
      return `${terminalLine(name, 200)}${words}`;
    })
    .join("\n");

const section = (title: string, text: string): string => `\n${title}\n${indented(text)}`;

const indented = (text: string): string =>
  terminalText(text)
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");

import { readFile } from "node:fs/promises";
import { didYouMean } from "../base/closest-name.ts";
import { messageOf } from "../base/dragoman-error.ts";
import { isJsonObject, type JsonObject } from "../base/json.ts";
import { checkJsonSchema, type SchemaIssue } from "../base/json-schema.ts";
import type { McpClient } from "../mcp/client/mcp-client.ts";
import type { McpToolDefinition } from "../mcp/definitions/tool-definition.ts";
import { checkOutput } from "../mcp/results/check-output.ts";
import { type McpCallResult, toToolResult } from "../mcp/results/to-tool-result.ts";
import { resolveLimits } from "../mcp/wire/mcp-limits.ts";
import { type Answer, answering } from "./answer.ts";
import { CliError } from "./cli-error.ts";
import type { CliStreams } from "./cli-streams.ts";
import { exampleArguments } from "./example-arguments.ts";
import type { ExitCode } from "./exit-code.ts";
import { listOfTools } from "./list-of-tools.ts";
import type { McpCallOptions } from "./mcp-group.ts";
import { readSomeTargets, secretsOf, serverNamed } from "./mcp-targets.ts";
import { useServer } from "./open-server.ts";
import { saveMedia, withoutMedia } from "./save-media.ts";
import { terminalLine, terminalText } from "./terminal-text.ts";

/** What is called, with what. */
export interface HandCall {
  readonly server: string;
  readonly tool: string;
  /** JSON, or `@FILE`. */
  readonly input: string;
}

/**
 * `dragoman mcp call`: calls a tool by hand. The arguments are checked first; progress and what the
 * server logs go to standard error. Exit code 1 where the tool reports an error.
 */
export function mcpCall(
  { server, tool, input }: HandCall,
  options: McpCallOptions,
  streams: CliStreams,
): Promise<ExitCode> {
  return answering(options, streams, async (secrets): Promise<Answer> => {
    const args = await readArguments(input);
    const target = serverNamed(await readSomeTargets(options, streams.env), server);
    secrets.push(...secretsOf(target));
    const tell = (text: string): void => void streams.stderr.write(`${terminalLine(text, 300)}\n`);
    const onNotification = (method: string, { level, data }: JsonObject): void => {
      if (method === "notifications/message") {
        tell(`[${String(level)}] ${typeof data === "string" ? data : JSON.stringify(data)}`);
      }
    };
    return useServer(target, { options, streams, onNotification }, async (client) => {
      const { signal } = streams;
      const definition = (await listOfTools(client, signal)).named(tool);
      await checkInput(args, definition, { ...options, tell });
      const start = performance.now();
      const result = await callTool(client, { tool, args, signal, tell });
      const tookMs = Math.round(performance.now() - start);
      return answerFor(result, { server, definition, tookMs, tell, save: options.save });
    });
  });
}

async function readArguments(input: string): Promise<JsonObject> {
  const text = input.startsWith("@") ? await textOf(input.slice(1)) : input;
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) {
      return value;
    }
  } catch (cause) {
    throw invalid(
      `The arguments are not JSON: ${messageOf(cause)}. Write an object in single quotes, as in '{"path": "."}', or @FILE.`,
    );
  }
  throw invalid(`The arguments must be a JSON object, as in '{"path": "."}', or @FILE.`);
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    const message = `The arguments cannot be read from ${file}: ${messageOf(cause)}`;
    throw new CliError(message, { code: "file-unusable", cause });
  }
}

interface InputCheck {
  readonly unchecked?: boolean;
  tell(text: string): void;
}

async function checkInput(
  args: JsonObject,
  { sourceName, inputSchema }: McpToolDefinition,
  { unchecked = false, tell }: InputCheck,
): Promise<void> {
  const check = await checkJsonSchema(inputSchema, args);
  if (check.kind === "unchecked") {
    tell(`note: the arguments are not checked: the schema ${check.reason}`);
  }
  const strays = strayNames(args, inputSchema);
  for (const stray of strays) {
    tell(`note: ${stray}`);
  }
  if (check.kind !== "invalid") {
    return;
  }
  const lines = check.issues.map(({ path, message }) => `- ${path || "the arguments"}: ${message}`);
  const example = JSON.stringify(exampleArguments(inputSchema));
  const text = `The arguments do not fit the tool "${sourceName}":\n${lines.join("\n")}\nIt takes, at the least, something like '${example}'.`;
  if (!unchecked) {
    throw invalid(`${text} --unchecked sends them all the same.`, check.issues);
  }
  tell(`note: ${text}`);
}

/** Arguments that the tool does not name. Most schemas allow them, so a slip of the pen goes unseen. */
function strayNames(
  args: JsonObject,
  { properties }: McpToolDefinition["inputSchema"],
): readonly string[] {
  const known = isJsonObject(properties) ? Object.keys(properties) : [];
  return Object.keys(args)
    .filter((name) => known.length > 0 && !known.includes(name))
    .map((name) => `the tool names no argument ${JSON.stringify(name)}.${didYouMean(name, known)}`);
}

interface CallScope {
  readonly tool: string;
  readonly args: JsonObject;
  readonly signal: AbortSignal;
  tell(text: string): void;
}

async function callTool(
  client: McpClient,
  { tool, args, signal, tell }: CallScope,
): Promise<McpCallResult> {
  return client.callTool(tool, args, {
    signal,
    onProgress: ({ progress, total, message }) =>
      tell(`progress ${progress}${total === undefined ? "" : `/${total}`} ${message ?? ""}`),
  });
}

interface AnswerScope {
  readonly server: string;
  readonly definition: McpToolDefinition;
  readonly tookMs: number;
  readonly save: string | undefined;
  tell(text: string): void;
}

async function answerFor(
  result: McpCallResult,
  { server, definition, tookMs, save, tell }: AnswerScope,
): Promise<Answer> {
  const tool = definition.sourceName;
  const mapped = toToolResult(result, { server, tool, limits: resolveLimits(undefined) });
  const files = save === undefined ? [] : await saveMedia(mapped.content, { folder: save, tool });
  const notice = (_code: string, message: string): void => tell(`note: ${message}`);
  await checkOutput(mapped, result, { definition, policy: "warn", notice });
  const failed = mapped.kind === "error";
  const hint = save === undefined ? "; --save FOLDER writes it to a file" : "";
  const shown = mapped.content.map((part) =>
    part.kind === "text" ? part.text : `[${part.kind}: ${part.mediaType}${hint}]`,
  );
  const saved = files.map(({ path, mediaType }) => `wrote ${path} (${mediaType})`);
  return {
    document: {
      server,
      tool,
      tookMs,
      result: save === undefined ? result : withoutMedia(result),
      ...(save === undefined ? {} : { files: files.map((file) => ({ ...file })) }),
      ...(failed ? { error: { code: "tool-error", message: mapped.error.message } } : {}),
    },
    text: terminalText(
      [...(failed ? ["The tool reports an error:"] : []), ...shown, ...saved].join("\n"),
    ),
    exitCode: failed ? 1 : 0,
  };
}

const invalid = (message: string, issues: readonly SchemaIssue[] = []): CliError =>
  new CliError(message, { code: "invalid-arguments", issues });

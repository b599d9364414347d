import type { TraceEndpoint, TraceOperation } from "../base/trace-operation.ts";
import { type Conventions, names } from "./conventions.ts";
import { modelNamesOf, putModel } from "./model-names.ts";
import { type OpenAttributes, put, type SpanAttributes } from "./span-attributes.ts";

/** In OpenTelemetry's words. */
export type SpanKindName = "internal" | "client" | "server";

/** A span at its beginning. */
export interface SpanDescription {
  readonly name: string;
  readonly kind: SpanKindName;
  /** What samplers decide by. The rest is `describeDetails`, since SDKs check these several times. */
  readonly attributes: SpanAttributes;
}

/** What a description depends on. */
export interface DescriptionOptions {
  readonly conventions: Conventions;
  /** Whether ids of conversations and requests may be told. */
  readonly identifiers: boolean;
  /** Whether a request for a tool call has a span beneath that of the tool. */
  readonly separateMcpSpans: boolean;
}

/** The operations of one kind. */
export type OperationOf<Kind extends TraceOperation["kind"]> = Extract<
  TraceOperation,
  { readonly kind: Kind }
>;

/** An operation as OpenTelemetry names it. */
export function describeOperation(
  operation: TraceOperation,
  options: DescriptionOptions,
): SpanDescription {
  const { conventions } = options;
  switch (operation.kind) {
    case "agent":
      return describeAgent(operation, conventions);
    case "model":
      return describeModel(operation, conventions);
    case "plan":
      return internal(`plan ${operation.agent}`, {
        [names.operation]: "plan",
        [names.agentName]: operation.agent,
      });
    case "tool":
      return describeTool(operation, options);
    case "mcp-request":
      return describeMessage(operation, "client");
    case "mcp-answer":
    case "mcp-serve":
      return describeMessage(operation, "server");
    case "mcp-session":
    case "server-open":
      return internal(`dragoman.open_server ${operation.server}`, {});
    case "discovery":
      return internal(`dragoman.discovery ${operation.of}`, {});
    case "session":
      return internal(`dragoman.session ${operation.action}`, {});
  }
}

/** What else is known of an operation when it begins; for a span that is recorded. */
export function describeDetails(
  operation: TraceOperation,
  { identifiers }: DescriptionOptions,
): SpanAttributes {
  const details: OpenAttributes = {};
  if (identifiers && "session" in operation) {
    put(details, names.conversation, operation.session);
  }
  switch (operation.kind) {
    case "agent":
      put(details, names.agentDescription, operation.description);
      details[operation.isNested ? names.subagentRunId : names.runId] = operation.runId;
      break;
    case "model":
      put(details, names.streams, operation.isStreamed || undefined);
      put(details, names.temperature, operation.temperature);
      put(details, names.maxTokens, operation.maxOutputTokens);
      put(details, names.reasoningLevel, operation.reasoningEffort);
      put(details, names.outputType, operation.wantsJson ? "json" : undefined);
      break;
    case "tool":
      putToolDetails(details, operation);
      break;
    case "mcp-request":
      details[names.mcpServer] = operation.server;
      put(details, names.resource, identifiers ? operation.resource : undefined);
      break;
    case "mcp-answer":
    case "mcp-session":
    case "server-open":
      details[names.mcpServer] = operation.server;
      break;
    case "mcp-serve":
    case "plan":
    case "discovery":
    case "session":
      break;
  }
  return details;
}

function putToolDetails(details: OpenAttributes, operation: OperationOf<"tool">): void {
  const { name, callId, description, source } = operation;
  details[names.toolCallId] = callId;
  put(details, names.toolDescription, description === "" ? undefined : cut(description));
  if (source !== undefined) {
    details[names.ownToolName] = name;
    details[names.mcpServer] = source.server;
  }
}

const internal = (name: string, attributes: SpanAttributes): SpanDescription => ({
  name,
  kind: "internal",
  attributes,
});

function describeAgent(
  { name, pattern }: OperationOf<"agent">,
  conventions: Conventions,
): SpanDescription {
  const operation = agentOperationOf(pattern);
  const attributes: OpenAttributes = { [names.operation]: operation };
  attributes[pattern === undefined ? names.agentName : conventions.workflowName] = name;
  put(attributes, names.pattern, pattern);
  return internal(`${operation} ${name}`, attributes);
}

/** What asking an agent is called, and what asking several as one. */
export const agentOperationOf = (
  pattern: string | undefined,
): "invoke_agent" | "invoke_workflow" =>
  pattern === undefined ? "invoke_agent" : "invoke_workflow";

function describeModel(
  { model, endpoint }: OperationOf<"model">,
  conventions: Conventions,
): SpanDescription {
  const { operation, spanName, isInProcess } = modelNamesOf(model);
  const attributes: OpenAttributes = { [names.operation]: operation };
  putModel(attributes, model, conventions);
  putServer(attributes, endpoint);
  return {
    name: spanName,
    kind: endpoint === undefined && isInProcess ? "internal" : "client",
    attributes,
  };
}

function describeTool(
  operation: OperationOf<"tool">,
  { separateMcpSpans }: DescriptionOptions,
): SpanDescription {
  const toolName = toolNameOf(operation);
  const isRequest = operation.source !== undefined && !separateMcpSpans;
  const attributes: OpenAttributes = { [names.operation]: "execute_tool" };
  attributes[names.toolName] = toolName;
  attributes[names.toolType] = toolTypeOf(operation);
  attributes[names.agentName] = operation.agent;
  put(attributes, names.mcpMethod, isRequest ? "tools/call" : undefined);
  return { name: `execute_tool ${toolName}`, kind: isRequest ? "client" : "internal", attributes };
}

/** As whoever has the tool calls it. */
export const toolNameOf = ({ name, source }: OperationOf<"tool">): string => source?.name ?? name;

/** In the conventions' words: ours run where the agent does, a server's do not. */
export const toolTypeOf = ({ source }: OperationOf<"tool">): "function" | "extension" =>
  source === undefined ? "function" : "extension";

function describeMessage(
  operation: OperationOf<"mcp-request" | "mcp-answer" | "mcp-serve">,
  kind: SpanKindName,
): SpanDescription {
  const target = "target" in operation ? operation.target : undefined;
  const attributes: OpenAttributes = {};
  putMethod(attributes, operation);
  return {
    name: target === undefined ? operation.method : `${operation.method} ${target}`,
    kind,
    attributes,
  };
}

/** Adds what a message of MCP is about. */
export function putMethod(
  attributes: OpenAttributes,
  operation: OperationOf<"mcp-request" | "mcp-answer" | "mcp-serve">,
): void {
  const { method } = operation;
  const target = "target" in operation ? operation.target : undefined;
  attributes[names.mcpMethod] = method;
  if (method === "tools/call") {
    attributes[names.operation] = "execute_tool";
    put(attributes, names.toolName, target);
  } else if (method === "prompts/get") {
    put(attributes, names.promptName, target);
  }
}

/** Adds where a peer listens that we ask. */
export function putServer(attributes: OpenAttributes, endpoint: TraceEndpoint | undefined): void {
  put(attributes, names.serverAddress, endpoint?.address);
  put(attributes, names.serverPort, endpoint?.port);
}

/** Adds where a peer is that asks us. */
export function putClient(attributes: OpenAttributes, endpoint: TraceEndpoint | undefined): void {
  put(attributes, names.clientAddress, endpoint?.address);
  put(attributes, names.clientPort, endpoint?.port);
}

const mostDescription = 1_024;

const cut = (text: string): string =>
  text.length > mostDescription ? text.slice(0, mostDescription).toWellFormed() : text;

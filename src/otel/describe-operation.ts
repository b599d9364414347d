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
}

/** An operation as OpenTelemetry names it. */
export function describeOperation(
  operation: TraceOperation,
  { conventions }: DescriptionOptions,
): SpanDescription {
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
      return describeTool(operation);
    case "mcp-request":
      return describeRequest(operation);
    case "mcp-answer":
      return {
        name: operation.method,
        kind: "server",
        attributes: { [names.mcpMethod]: operation.method },
      };
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
  switch (operation.kind) {
    case "agent":
      put(details, names.agentDescription, operation.description);
      details[operation.isNested ? names.subagentRunId : names.runId] = operation.runId;
      put(details, names.conversation, identifiers ? operation.session : undefined);
      break;
    case "model":
      put(details, names.temperature, operation.temperature);
      put(details, names.maxTokens, operation.maxOutputTokens);
      put(details, names.reasoningLevel, operation.reasoningEffort);
      put(details, names.outputType, operation.wantsJson ? "json" : undefined);
      put(details, names.conversation, identifiers ? operation.session : undefined);
      break;
    case "tool":
      putToolDetails(details, operation);
      break;
    case "mcp-request":
    case "mcp-answer":
    case "mcp-session":
    case "server-open":
      details[names.mcpServer] = operation.server;
      break;
    case "plan":
    case "discovery":
    case "session":
      break;
  }
  return details;
}

function putToolDetails(details: OpenAttributes, operation: Of<"tool">): void {
  const { name, callId, description, source } = operation;
  details[names.toolCallId] = callId;
  details[names.toolType] = source === undefined ? "function" : "extension";
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

type Of<Kind extends TraceOperation["kind"]> = Extract<TraceOperation, { kind: Kind }>;

function describeAgent({ name, pattern }: Of<"agent">, conventions: Conventions): SpanDescription {
  const operation = pattern === undefined ? "invoke_agent" : "invoke_workflow";
  const attributes: OpenAttributes = { [names.operation]: operation };
  attributes[pattern === undefined ? names.agentName : conventions.workflowName] = name;
  put(attributes, names.pattern, pattern);
  return internal(`${operation} ${name}`, attributes);
}

function describeModel(
  { model, endpoint }: Of<"model">,
  conventions: Conventions,
): SpanDescription {
  const { operation, spanName, isInProcess } = modelNamesOf(model);
  const attributes: OpenAttributes = { [names.operation]: operation };
  putModel(attributes, model, conventions);
  putEndpoint(attributes, endpoint);
  return {
    name: spanName,
    kind: endpoint === undefined && isInProcess ? "internal" : "client",
    attributes,
  };
}

function describeTool({ name, source }: Of<"tool">): SpanDescription {
  const toolName = source?.name ?? name;
  const attributes: OpenAttributes = { [names.operation]: "execute_tool" };
  attributes[names.toolName] = toolName;
  put(attributes, names.mcpMethod, source && "tools/call");
  const kind = source === undefined ? "internal" : "client";
  return { name: `execute_tool ${toolName}`, kind, attributes };
}

function describeRequest({ method, target }: Of<"mcp-request">): SpanDescription {
  const attributes: OpenAttributes = { [names.mcpMethod]: method };
  put(attributes, method === "prompts/get" ? names.promptName : names.toolName, target);
  return {
    name: target === undefined ? method : `${method} ${target}`,
    kind: "client",
    attributes,
  };
}

/** Where a peer listens. */
export function putEndpoint(attributes: OpenAttributes, endpoint: TraceEndpoint | undefined): void {
  if (endpoint !== undefined) {
    attributes[names.serverAddress] = endpoint.address;
    put(attributes, names.serverPort, endpoint.port);
  }
}

const mostDescription = 1_024;

const cut = (text: string): string =>
  text.length > mostDescription ? text.slice(0, mostDescription).toWellFormed() : text;

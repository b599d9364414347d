import type { TraceEndpoint, TraceOperation } from "../base/trace-operation.ts";
import { type Conventions, names } from "./conventions.ts";

/** What attributes may be. */
export type SpanAttributes = Readonly<
  Record<string, string | number | boolean | readonly string[]>
>;

/** In OpenTelemetry's words. */
export type SpanKindName = "internal" | "client" | "server";

/** A span at its beginning. */
export interface SpanDescription {
  readonly name: string;
  readonly kind: SpanKindName;
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
  options: DescriptionOptions,
): SpanDescription {
  switch (operation.kind) {
    case "agent":
      return describeAgent(operation, options);
    case "model":
      return describeModel(operation, options);
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
        attributes: {
          [names.mcpMethod]: operation.method,
          [names.mcpServer]: operation.server,
        },
      };
    case "mcp-session":
    case "server-open":
      return internal(`dragoman.open_server ${operation.server}`, {
        [names.mcpServer]: operation.server,
      });
    case "discovery":
      return internal(`dragoman.discovery ${operation.of}`, {});
    case "session":
      return internal(`dragoman.session ${operation.action}`, {});
  }
}

const internal = (name: string, attributes: SpanAttributes): SpanDescription => ({
  name,
  kind: "internal",
  attributes,
});

type Of<Kind extends TraceOperation["kind"]> = Extract<TraceOperation, { kind: Kind }>;

function describeAgent(
  { name, description, pattern, runId, session, isNested }: Of<"agent">,
  { conventions, identifiers }: DescriptionOptions,
): SpanDescription {
  const operation = pattern === undefined ? "invoke_agent" : "invoke_workflow";
  const nameKey = pattern === undefined ? names.agentName : conventions.workflowName;
  return internal(`${operation} ${name}`, {
    [names.operation]: operation,
    [nameKey]: name,
    ...given(names.agentDescription, description),
    ...given(names.pattern, pattern),
    [isNested ? names.subagentRunId : names.runId]: runId,
    ...given(names.conversation, identifiers ? session : undefined),
  });
}

function describeModel(
  operation: Of<"model">,
  { conventions, identifiers }: DescriptionOptions,
): SpanDescription {
  const { model, endpoint, temperature, maxOutputTokens, reasoningEffort, session } = operation;
  const action = modelActionOf(model);
  const { name } = modelPartsOf(model);
  return {
    name: `${action} ${name}`,
    kind: endpoint === undefined && isInProcess(model) ? "internal" : "client",
    attributes: {
      [names.operation]: action,
      ...modelAttributes(model, conventions),
      ...endpointAttributes(endpoint),
      ...given(names.temperature, temperature),
      ...given(names.maxTokens, maxOutputTokens),
      ...given(names.reasoningLevel, reasoningEffort),
      ...(operation.wantsJson ? { [names.outputType]: "json" } : {}),
      ...given(names.conversation, identifiers ? session : undefined),
    },
  };
}

/** Gemini's own interface has a name of its own for it. */
export const modelActionOf = (model: string): "chat" | "generate_content" =>
  modelPartsOf(model).prefix === "gemini" ? "generate_content" : "chat";

/** Where there is no network between: the offline model. */
const isInProcess = (model: string): boolean => modelPartsOf(model).prefix === "offline";

/** The names that the conventions have for providers. */
const providers: Readonly<Record<string, string>> = {
  gemini: "gcp.gemini",
  google: "gcp.gemini",
  bedrock: "aws.bedrock",
  azure: "azure.ai.openai",
  mistral: "mistral_ai",
  xai: "x_ai",
};

/** Who has a model and what it is called there. */
export function modelAttributes(model: string, { providerName }: Conventions): SpanAttributes {
  const { prefix, name } = modelPartsOf(model);
  const provider = Object.hasOwn(providers, prefix) ? providers[prefix] : prefix;
  return {
    ...Object.fromEntries(providerName.map((key) => [key, provider ?? prefix])),
    [names.requestModel]: name,
  };
}

/** `openai:gpt-5`; a model without a prefix is its own provider. */
function modelPartsOf(model: string): { readonly prefix: string; readonly name: string } {
  const colon = model.indexOf(":");
  return colon > 0
    ? { prefix: model.slice(0, colon), name: model.slice(colon + 1) }
    : { prefix: model, name: model };
}

function describeTool({ name, callId, description, source }: Of<"tool">): SpanDescription {
  return {
    name: `execute_tool ${source?.name ?? name}`,
    kind: source === undefined ? "internal" : "client",
    attributes: {
      [names.operation]: "execute_tool",
      [names.toolName]: source?.name ?? name,
      [names.toolCallId]: callId,
      [names.toolType]: source === undefined ? "function" : "extension",
      ...given(names.toolDescription, description === "" ? undefined : cut(description)),
      ...(source === undefined
        ? {}
        : {
            [names.ownToolName]: name,
            [names.mcpServer]: source.server,
            [names.mcpMethod]: "tools/call",
          }),
    },
  };
}

function describeRequest({ server, method, target }: Of<"mcp-request">): SpanDescription {
  const key = method === "prompts/get" ? names.promptName : names.toolName;
  return {
    name: target === undefined ? method : `${method} ${target}`,
    kind: "client",
    attributes: {
      [names.mcpMethod]: method,
      [names.mcpServer]: server,
      ...given(key, target),
    },
  };
}

/** Where a peer listens. */
export const endpointAttributes = (endpoint: TraceEndpoint | undefined): SpanAttributes =>
  endpoint === undefined
    ? {}
    : {
        [names.serverAddress]: endpoint.address,
        ...given(names.serverPort, endpoint.port),
      };

/** An attribute where there is a value. */
export const given = (key: string, value: string | number | undefined): SpanAttributes =>
  value === undefined ? {} : { [key]: value };

const mostDescription = 1_024;

const cut = (text: string): string => text.slice(0, mostDescription).toWellFormed();

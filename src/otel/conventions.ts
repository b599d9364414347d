/**
 * OpenTelemetry's semantic conventions for generative AI and MCP, of
 * github.com/open-telemetry/semantic-conventions-genai. `"older"` is what stood in the main repository
 * before (1.36 to 1.41), which most backends read.
 */
export type ConventionsVersion = "v0.1.0" | "older";

/** What names things, besides what both versions share. */
export interface Conventions {
  readonly version: ConventionsVersion;
  /** Told of each span's scope, so that backends can translate. */
  readonly schemaUrl: string;
  /** The attribute with the name of several agents as one. */
  readonly workflowName: "gen_ai.agent.name" | "gen_ai.workflow.name";
  /** Where the provider's name stands. */
  readonly providerName: readonly string[];
  /** The duration of a model call. */
  readonly inferenceDuration: string;
  /** Counters by kind of token, or one histogram with the kind as an attribute. */
  readonly tokens: "counters" | "histogram";
}

/** The conventions of a version. */
export const conventionsOf = (version: ConventionsVersion): Conventions => known[version];

const known: Readonly<Record<ConventionsVersion, Conventions>> = {
  "v0.1.0": {
    version: "v0.1.0",
    schemaUrl: "https://opentelemetry.io/schemas/gen-ai/0.1.0",
    workflowName: "gen_ai.agent.name",
    providerName: ["gen_ai.provider.name"],
    inferenceDuration: "gen_ai.client.inference.duration",
    tokens: "counters",
  },
  older: {
    version: "older",
    schemaUrl: "https://opentelemetry.io/schemas/1.41.0",
    workflowName: "gen_ai.workflow.name",
    providerName: ["gen_ai.provider.name", "gen_ai.system"],
    inferenceDuration: "gen_ai.client.operation.duration",
    tokens: "histogram",
  },
};

/** Attributes that both versions share, and our own. */
export const names = {
  operation: "gen_ai.operation.name",
  agentName: "gen_ai.agent.name",
  agentDescription: "gen_ai.agent.description",
  conversation: "gen_ai.conversation.id",
  requestModel: "gen_ai.request.model",
  temperature: "gen_ai.request.temperature",
  maxTokens: "gen_ai.request.max_tokens",
  reasoningLevel: "gen_ai.request.reasoning.level",
  outputType: "gen_ai.output.type",
  responseModel: "gen_ai.response.model",
  finishReasons: "gen_ai.response.finish_reasons",
  timeToFirstChunk: "gen_ai.response.time_to_first_chunk",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cachedTokens: "gen_ai.usage.cache_read.input_tokens",
  reasoningTokens: "gen_ai.usage.reasoning.output_tokens",
  toolName: "gen_ai.tool.name",
  toolCallId: "gen_ai.tool.call.id",
  toolDescription: "gen_ai.tool.description",
  toolType: "gen_ai.tool.type",
  promptName: "gen_ai.prompt.name",
  mcpMethod: "mcp.method.name",
  mcpVersion: "mcp.protocol.version",
  requestId: "jsonrpc.request.id",
  statusCode: "rpc.response.status_code",
  network: "network.transport",
  serverAddress: "server.address",
  serverPort: "server.port",
  errorType: "error.type",
  exceptionType: "exception.type",
  exceptionMessage: "exception.message",
  exceptionStack: "exception.stacktrace",
  runId: "dragoman.run.id",
  subagentRunId: "dragoman.subagent.run_id",
  outcome: "dragoman.run.outcome",
  pattern: "dragoman.network.kind",
  ownToolName: "dragoman.tool.name",
  mcpServer: "dragoman.mcp.server",
  count: "dragoman.count",
} as const;

/** Names of spans' events. */
export const eventNames = {
  turn: "dragoman.turn",
  retry: "dragoman.retry",
  fallback: "dragoman.fallback",
  interrupt: "dragoman.interrupt",
  decision: "dragoman.decision",
  artifact: "dragoman.artifact",
  exception: "exception",
  content: "gen_ai.client.inference.operation.details",
} as const;

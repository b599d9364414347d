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
  /** Whether the provider's name stands under its first attribute, `gen_ai.system`, as well. */
  readonly hasSystem: boolean;
  /** What names of measures and events of model calls begin with. */
  readonly inference: "gen_ai.client.inference" | "gen_ai.client.operation";
  /** Counters by kind of token and distributions of them, or one distribution with the kind as an attribute. */
  readonly tokens: "counters" | "histogram";
  /** The attribute with the tokens that were written to a cache. */
  readonly cacheWriteTokens: string;
  /** Whether each message of an answer says why the model stopped. */
  readonly messagesHaveReasons: boolean;
}

/** The conventions of a version. */
export const conventionsOf = (version: ConventionsVersion): Conventions => known[version];

const known: Readonly<Record<ConventionsVersion, Conventions>> = {
  "v0.1.0": {
    version: "v0.1.0",
    schemaUrl: "https://opentelemetry.io/schemas/gen-ai/0.1.0",
    workflowName: "gen_ai.agent.name",
    hasSystem: false,
    inference: "gen_ai.client.inference",
    tokens: "counters",
    cacheWriteTokens: "gen_ai.usage.cache_write.input_tokens",
    messagesHaveReasons: false,
  },
  older: {
    version: "older",
    schemaUrl: "https://opentelemetry.io/schemas/1.41.0",
    workflowName: "gen_ai.workflow.name",
    hasSystem: true,
    inference: "gen_ai.client.operation",
    tokens: "histogram",
    cacheWriteTokens: "gen_ai.usage.cache_creation.input_tokens",
    messagesHaveReasons: true,
  },
};

/** Attributes that both versions share, and our own. */
export const names = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  system: "gen_ai.system",
  agentName: "gen_ai.agent.name",
  agentDescription: "gen_ai.agent.description",
  conversation: "gen_ai.conversation.id",
  requestModel: "gen_ai.request.model",
  streams: "gen_ai.request.stream",
  temperature: "gen_ai.request.temperature",
  maxTokens: "gen_ai.request.max_tokens",
  reasoningLevel: "gen_ai.request.reasoning.level",
  outputType: "gen_ai.output.type",
  responseId: "gen_ai.response.id",
  responseModel: "gen_ai.response.model",
  finishReasons: "gen_ai.response.finish_reasons",
  timeToFirstChunk: "gen_ai.response.time_to_first_chunk",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cachedTokens: "gen_ai.usage.cache_read.input_tokens",
  reasoningTokens: "gen_ai.usage.reasoning.output_tokens",
  tokenType: "gen_ai.token.type",
  tokenModality: "gen_ai.token.modality",
  toolName: "gen_ai.tool.name",
  toolCallId: "gen_ai.tool.call.id",
  toolDescription: "gen_ai.tool.description",
  toolType: "gen_ai.tool.type",
  promptName: "gen_ai.prompt.name",
  mcpMethod: "mcp.method.name",
  mcpVersion: "mcp.protocol.version",
  mcpSession: "mcp.session.id",
  resource: "mcp.resource.uri",
  requestId: "jsonrpc.request.id",
  statusCode: "rpc.response.status_code",
  network: "network.transport",
  networkProtocol: "network.protocol.name",
  serverAddress: "server.address",
  serverPort: "server.port",
  clientAddress: "client.address",
  clientPort: "client.port",
  errorType: "error.type",
  exceptionType: "exception.type",
  exceptionMessage: "exception.message",
  exceptionStack: "exception.stacktrace",
  runId: "dragoman.run.id",
  subagentRunId: "dragoman.subagent.run_id",
  runOutcome: "dragoman.run.outcome",
  outcome: "dragoman.outcome",
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
  /** What a tool was given and gave, where content is written as events: the conventions have none for it. */
  toolDetails: "dragoman.execute_tool.details",
  modelDetails: "gen_ai.client.inference.operation.details",
} as const;

import type { TraceFacts, TraceOperation } from "../base/trace-operation.ts";
import { type Conventions, names } from "./conventions.ts";
import {
  agentOperationOf,
  type OperationOf,
  putMethod,
  putServer,
  toolNameOf,
  toolTypeOf,
} from "./describe-operation.ts";
import { modelNamesOf, putModel } from "./model-names.ts";
import { type OpenAttributes, put, type SpanAttributes } from "./span-attributes.ts";
import type { SpanSink } from "./span-sink.ts";

/** What takes measures. */
export interface Meters {
  /** Adds to the distribution of that name. @param sink the span that it was measured in. */
  record(name: string, value: number, attributes: SpanAttributes, sink: SpanSink): void;
  /** Adds to the sum of that name. */
  add(name: string, value: number, attributes: SpanAttributes, sink: SpanSink): void;
}

/** What measures are made with. */
export interface MeasuredSettings {
  /** `undefined` where nobody wants measures. */
  readonly meters: Meters | undefined;
  readonly conventions: Conventions;
}

/** What an operation failed with, as it is counted. */
export interface CountedFailure {
  readonly type: string;
  /** The JSON-RPC code that a peer has answered with. */
  readonly rpcStatus: string | undefined;
}

/** The measures of one operation. No id of anything is ever a dimension of them. */
export class Measured {
  readonly #operation: TraceOperation;
  readonly #settings: MeasuredSettings;
  readonly #sink: SpanSink;
  readonly #outer: Measured | undefined;
  readonly #begun = performance.now();
  #lastChunk = 0;
  #facts: TraceFacts = {};
  #inferences = 0;
  #toolCalls = 0;

  constructor(
    operation: TraceOperation,
    settings: MeasuredSettings,
    sink: SpanSink,
    outer: Measured | undefined,
  ) {
    this.#operation = operation;
    this.#settings = settings;
    this.#sink = sink;
    this.#outer = outer;
    if (operation.kind === "model" || operation.kind === "tool") {
      outer?.count(operation.kind);
    }
  }

  set(facts: TraceFacts): void {
    if (this.#settings.meters !== undefined) {
      this.#facts = { ...this.#facts, ...facts };
    }
  }

  /** A piece of an answer has come. @returns after how many seconds, for the first one of a stream. */
  chunk(): number | undefined {
    const operation = this.#operation;
    const isFirst = this.#lastChunk === 0;
    if (
      operation.kind !== "model" ||
      !operation.isStreamed ||
      (!isFirst && this.#settings.meters === undefined)
    ) {
      return undefined;
    }
    const now = performance.now();
    const seconds = (now - (isFirst ? this.#begun : this.#lastChunk)) / 1_000;
    this.#lastChunk = now;
    const name = isFirst ? "time_to_first_chunk" : "time_per_output_chunk";
    const { inference } = this.#settings.conventions;
    this.#record(`${inference}.${name}`, seconds, this.#modelDimensions(operation));
    return isFirst ? seconds : undefined;
  }

  end(failure: CountedFailure | undefined): void {
    if (this.#settings.meters === undefined) {
      return;
    }
    const seconds = (performance.now() - this.#begun) / 1_000;
    const operation = this.#operation;
    switch (operation.kind) {
      case "agent":
        this.#endAgent(operation, seconds, failure);
        return;
      case "model": {
        const dimensions = this.#modelDimensions(operation);
        this.#addTokens(dimensions);
        const name = `${this.#settings.conventions.inference}.duration`;
        this.#record(name, seconds, withFailure(dimensions, failure));
        return;
      }
      case "tool":
        this.#record("gen_ai.execute_tool.duration", seconds, toolDimensions(operation, failure));
        return;
      case "mcp-request":
        this.#endMessage("mcp.client.operation.duration", seconds, operation, failure);
        return;
      case "mcp-answer":
      case "mcp-serve":
        this.#endMessage("mcp.server.operation.duration", seconds, operation, failure);
        return;
      case "mcp-session":
        this.#record(
          "mcp.client.session.duration",
          seconds,
          withFailure(this.#mcpDimensions(), failure),
        );
        return;
      default:
    }
  }

  /** Counts for the agent that made the call, and for no other that asked it. */
  count(kind: "model" | "tool"): void {
    if (this.#operation.kind === "agent") {
      this.#inferences += kind === "model" ? 1 : 0;
      this.#toolCalls += kind === "tool" ? 1 : 0;
    } else {
      this.#outer?.count(kind);
    }
  }

  #record(name: string, value: number, dimensions: SpanAttributes): void {
    this.#settings.meters?.record(name, value, dimensions, this.#sink);
  }

  #endAgent(
    { name, pattern }: OperationOf<"agent">,
    seconds: number,
    failure: CountedFailure | undefined,
  ): void {
    const { workflowName } = this.#settings.conventions;
    const named = { [pattern === undefined ? names.agentName : workflowName]: name };
    const dimensions = { [names.operation]: agentOperationOf(pattern), ...named };
    this.#record("gen_ai.invoke_agent.duration", seconds, withFailure(dimensions, failure));
    if (pattern === undefined) {
      this.#record("gen_ai.invoke_agent.inference_calls", this.#inferences, named);
      this.#record("gen_ai.invoke_agent.tool_calls", this.#toolCalls, named);
    }
  }

  #endMessage(
    name: string,
    seconds: number,
    operation: OperationOf<"mcp-request" | "mcp-answer" | "mcp-serve">,
    failure: CountedFailure | undefined,
  ): void {
    const dimensions = this.#mcpDimensions();
    putMethod(dimensions, operation);
    if (operation.kind === "mcp-request") {
      putServer(dimensions, this.#facts.mcp?.endpoint);
    }
    put(dimensions, names.statusCode, failure?.rpcStatus);
    this.#record(name, seconds, withFailure(dimensions, failure));
  }

  #modelDimensions({ model, endpoint }: OperationOf<"model">): OpenAttributes {
    const dimensions: OpenAttributes = { [names.operation]: modelNamesOf(model).operation };
    putModel(dimensions, model, this.#settings.conventions);
    putServer(dimensions, endpoint);
    put(dimensions, names.responseModel, this.#facts.responseModel);
    return dimensions;
  }

  #mcpDimensions(): OpenAttributes {
    const { protocolVersion, network, networkProtocol } = this.#facts.mcp ?? {};
    const dimensions: OpenAttributes = {};
    put(dimensions, names.mcpVersion, protocolVersion);
    put(dimensions, names.network, network);
    put(dimensions, names.networkProtocol, networkProtocol);
    return dimensions;
  }

  #addTokens(dimensions: OpenAttributes): void {
    const { usage } = this.#facts;
    if (usage === undefined) {
      return;
    }
    const { conventions, meters } = this.#settings;
    if (conventions.tokens === "histogram") {
      const name = "gen_ai.client.token.usage";
      this.#record(name, usage.inputTokens, { ...dimensions, [names.tokenType]: "input" });
      this.#record(name, usage.outputTokens, { ...dimensions, [names.tokenType]: "output" });
      return;
    }
    const { inference } = conventions;
    this.#record(`${inference}.operation.input_tokens`, usage.inputTokens, dimensions);
    this.#record(`${inference}.operation.output_tokens`, usage.outputTokens, dimensions);
    // Providers do not tell the tokens of pictures from those of words.
    const counted = { ...dimensions, [names.tokenModality]: "unknown" };
    const counts = {
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      "cache_read.input_tokens": usage.cachedInputTokens,
      "cache_write.input_tokens": usage.cacheWriteInputTokens,
      "reasoning.output_tokens": usage.reasoningTokens,
    };
    for (const [name, count] of Object.entries(counts)) {
      if (count !== undefined) {
        meters?.add(`${inference}.usage.${name}`, count, counted, this.#sink);
      }
    }
  }
}

function toolDimensions(
  operation: OperationOf<"tool">,
  failure: CountedFailure | undefined,
): SpanAttributes {
  const dimensions = {
    [names.toolName]: toolNameOf(operation),
    [names.toolType]: toolTypeOf(operation),
    [names.agentName]: operation.agent,
  };
  return withFailure(dimensions, failure);
}

const withFailure = (
  dimensions: SpanAttributes,
  failure: CountedFailure | undefined,
): SpanAttributes =>
  failure === undefined ? dimensions : { ...dimensions, [names.errorType]: failure.type };

import type { TraceFacts, TraceOperation } from "../base/trace-operation.ts";
import { type Conventions, names } from "./conventions.ts";
import { modelNamesOf, putModel } from "./model-names.ts";
import { type OpenAttributes, put, type SpanAttributes } from "./span-attributes.ts";

/** What takes measures; `undefined` wherever nobody wants any. */
export interface Meters {
  /** Adds to the distribution of that name. */
  record(name: string, value: number, attributes: SpanAttributes): void;
  /** Adds to the sum of that name. */
  add(name: string, value: number, attributes: SpanAttributes): void;
}

/** The measures of one operation. No id of anything is ever a dimension of them. */
export class Measured {
  readonly #operation: TraceOperation;
  readonly #meters: Meters | undefined;
  readonly #conventions: Conventions;
  readonly #outer: Measured | undefined;
  readonly #begun = performance.now();
  #lastChunk = 0;
  #facts: TraceFacts = {};
  #inferences = 0;
  #toolCalls = 0;

  constructor(
    operation: TraceOperation,
    {
      meters,
      conventions,
    }: { readonly meters: Meters | undefined; readonly conventions: Conventions },
    outer: Measured | undefined,
  ) {
    this.#operation = operation;
    this.#meters = meters;
    this.#conventions = conventions;
    this.#outer = outer;
    if (meters !== undefined && (operation.kind === "model" || operation.kind === "tool")) {
      outer?.count(operation.kind);
    }
  }

  set(facts: TraceFacts): void {
    if (this.#meters !== undefined) {
      this.#facts = { ...this.#facts, ...facts };
    }
  }

  /** A piece of an answer has come. @returns after how many seconds, for the first one. */
  chunk(): number | undefined {
    const isFirst = this.#lastChunk === 0;
    if (!isFirst && this.#meters === undefined) {
      return undefined;
    }
    const now = performance.now();
    const seconds = (now - (isFirst ? this.#begun : this.#lastChunk)) / 1_000;
    this.#lastChunk = now;
    if (this.#meters !== undefined && this.#operation.kind === "model") {
      const name = isFirst ? "time_to_first_chunk" : "time_per_output_chunk";
      this.#meters.record(
        `gen_ai.client.inference.${name}`,
        seconds,
        this.#modelDimensions(this.#operation.model),
      );
    }
    return isFirst ? seconds : undefined;
  }

  end(errorType: string | undefined): void {
    const meters = this.#meters;
    if (meters === undefined) {
      return;
    }
    const seconds = (performance.now() - this.#begun) / 1_000;
    const error = errorType === undefined ? {} : { [names.errorType]: errorType };
    const operation = this.#operation;
    switch (operation.kind) {
      case "agent": {
        const dimensions = this.#agentDimensions(operation);
        meters.record("gen_ai.invoke_agent.duration", seconds, { ...dimensions, ...error });
        meters.record("gen_ai.invoke_agent.inference_calls", this.#inferences, dimensions);
        meters.record("gen_ai.invoke_agent.tool_calls", this.#toolCalls, dimensions);
        return;
      }
      case "model": {
        const dimensions = this.#modelDimensions(operation.model);
        meters.record(this.#conventions.inferenceDuration, seconds, { ...dimensions, ...error });
        this.#addTokens(meters, dimensions);
        return;
      }
      case "tool":
        meters.record("gen_ai.execute_tool.duration", seconds, {
          [names.operation]: "execute_tool",
          [names.toolName]: operation.source?.name ?? operation.name,
          ...error,
        });
        return;
      case "mcp-request":
        meters.record("mcp.client.operation.duration", seconds, {
          [names.mcpMethod]: operation.method,
          ...(operation.method === "tools/call" && operation.target !== undefined
            ? { [names.toolName]: operation.target }
            : {}),
          ...this.#mcpDimensions(),
          ...error,
        });
        return;
      case "mcp-answer":
        meters.record("mcp.server.operation.duration", seconds, {
          [names.mcpMethod]: operation.method,
          ...this.#mcpDimensions(),
          ...error,
        });
        return;
      case "mcp-session":
        meters.record("mcp.client.session.duration", seconds, {
          ...this.#mcpDimensions(),
          ...error,
        });
        return;
      default:
    }
  }

  /** Counts for every agent and assembly that it is part of. */
  count(kind: "model" | "tool"): void {
    if (this.#operation.kind === "agent") {
      this.#inferences += kind === "model" ? 1 : 0;
      this.#toolCalls += kind === "tool" ? 1 : 0;
    }
    this.#outer?.count(kind);
  }

  #agentDimensions({ name, pattern }: Extract<TraceOperation, { kind: "agent" }>): SpanAttributes {
    const { model } = this.#facts;
    const dimensions: OpenAttributes = {};
    dimensions[names.operation] = pattern === undefined ? "invoke_agent" : "invoke_workflow";
    dimensions[pattern === undefined ? names.agentName : this.#conventions.workflowName] = name;
    if (model !== undefined) {
      putModel(dimensions, model, this.#conventions);
    }
    return dimensions;
  }

  #modelDimensions(model: string): SpanAttributes {
    const dimensions: OpenAttributes = { [names.operation]: modelNamesOf(model).operation };
    putModel(dimensions, model, this.#conventions);
    put(dimensions, names.responseModel, this.#facts.responseModel);
    return dimensions;
  }

  #mcpDimensions(): SpanAttributes {
    const { protocolVersion, network } = this.#facts.mcp ?? {};
    const dimensions: OpenAttributes = {};
    put(dimensions, names.mcpVersion, protocolVersion);
    put(dimensions, names.network, network);
    return dimensions;
  }

  #addTokens(meters: Meters, dimensions: SpanAttributes): void {
    const { usage } = this.#facts;
    if (usage === undefined) {
      return;
    }
    if (this.#conventions.tokens === "histogram") {
      const record = (type: string, count: number): void =>
        meters.record("gen_ai.client.token.usage", count, {
          ...dimensions,
          "gen_ai.token.type": type,
        });
      record("input", usage.inputTokens);
      record("output", usage.outputTokens);
      return;
    }
    const counts = {
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      "cache_read.input_tokens": usage.cachedInputTokens,
      "reasoning.output_tokens": usage.reasoningTokens,
    };
    for (const [name, count] of Object.entries(counts)) {
      if (count !== undefined) {
        meters.add(`gen_ai.client.inference.usage.${name}`, count, dimensions);
      }
    }
  }
}

/** A piece of work that a tracer is told of, with what is known when it begins. */
export type TraceOperation =
  /** An agent, or several as one, works on what it was asked: a run, or its part in one. */
  | {
      readonly kind: "agent";
      readonly name: string;
      readonly description?: string | undefined;
      /** How its members work together (`sequence`, `graph`, …); absent for a single agent. */
      readonly pattern?: string | undefined;
      readonly runId: string;
      /** The conversation's id: the application's own, and so not to be told by default. */
      readonly session?: string | undefined;
      /** Whether another one asks it, within a run. */
      readonly isNested: boolean;
    }
  /** One try of a model call. */
  | {
      readonly kind: "model";
      /** As in `openai:gpt-5`. */
      readonly model: string;
      readonly endpoint?: TraceEndpoint | undefined;
      /** Whether the answer comes in pieces. */
      readonly isStreamed: boolean;
      readonly session?: string | undefined;
      readonly temperature?: number | undefined;
      readonly maxOutputTokens?: number | undefined;
      readonly reasoningEffort?: string | undefined;
      /** Whether JSON is asked for. */
      readonly wantsJson: boolean;
    }
  /** A model makes a plan; its calls are within. */
  | { readonly kind: "plan"; readonly agent: string }
  /** One call of a tool, further tries included. */
  | {
      readonly kind: "tool";
      /** As the model knows it. */
      readonly name: string;
      readonly callId: string;
      readonly description: string;
      /** The agent that calls it. */
      readonly agent: string;
      readonly session?: string | undefined;
      /** The server that has it, and its name there. */
      readonly source?: { readonly server: string; readonly name: string } | undefined;
    }
  /** A request to an MCP server. */
  | {
      readonly kind: "mcp-request";
      readonly server: string;
      readonly method: string;
      /** The name of the tool or prompt that it is about. */
      readonly target?: string | undefined;
      /** The URI of the resource that it is about: the server's own, and so not to be told by default. */
      readonly resource?: string | undefined;
    }
  /** A request of an MCP server's to us. */
  | { readonly kind: "mcp-answer"; readonly server: string; readonly method: string }
  /** A request to an MCP server of ours, such as the call of one of its tools. */
  | { readonly kind: "mcp-serve"; readonly method: string; readonly target?: string | undefined }
  /** A session with an MCP server, from its greeting to its end: measured, and no span. */
  | { readonly kind: "mcp-session"; readonly server: string }
  /** A server's tools are made ready for a run. */
  | { readonly kind: "server-open"; readonly server: string }
  /** Servers or tools are chosen for what is asked. */
  | { readonly kind: "discovery"; readonly of: "servers" | "tools" }
  /** The conversation is read or added to. */
  | { readonly kind: "session"; readonly action: "load" | "save" };

/** Where a peer listens. */
export interface TraceEndpoint {
  readonly address: string;
  readonly port?: number | undefined;
}

/** What becomes known of an operation while it goes on. Each may be set once. */
export interface TraceFacts {
  /** The id of the model that an agent works with. */
  readonly model?: string;
  /** The model as the provider names it in its answer. */
  readonly responseModel?: string | undefined;
  /** The provider's id of its answer. */
  readonly responseId?: string | undefined;
  readonly finishReason?: string;
  readonly usage?: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cachedInputTokens?: number;
    readonly cacheWriteInputTokens?: number;
    readonly reasoningTokens?: number;
  };
  /** How the MCP server is spoken to. */
  readonly mcp?: TraceMcpFacts;
  /** How many there were: tools of a server, messages of a conversation, what was chosen. */
  readonly count?: number;
}

/** How an MCP server is spoken to. */
export interface TraceMcpFacts {
  /** The id of the request on the wire: not told by default. */
  readonly requestId?: string | undefined;
  /** The id of the session on the wire: not told by default. */
  readonly sessionId?: string | undefined;
  readonly protocolVersion?: string | undefined;
  readonly network?: "pipe" | "tcp" | undefined;
  /** What MCP's messages are carried by. */
  readonly networkProtocol?: "http" | "websocket" | undefined;
  readonly endpoint?: TraceEndpoint | undefined;
}

/** Something that happens at one moment of an operation. Holds nothing that somebody has said. */
export type TraceEvent =
  /** A piece of the model's answer has come. */
  | { readonly kind: "chunk" }
  | { readonly kind: "turn"; readonly step: number }
  | {
      readonly kind: "retry";
      readonly of: "model" | "tool";
      /** The number of the try that failed, from 1. */
      readonly attempt: number;
      readonly delayMs: number;
      readonly error: unknown;
    }
  /** Another model takes over. */
  | { readonly kind: "fallback"; readonly model: string }
  /** The run waits for somebody, of this kind. */
  | { readonly kind: "interrupt"; readonly of: string }
  /** A tool gave a file: `inline`, or `deferred`, which is elsewhere. */
  | { readonly kind: "artifact"; readonly of: string; readonly size?: number | undefined }
  /** Somebody has decided, or nobody has in time. */
  | { readonly kind: "decision"; readonly decision: string };

/** How an operation ended. */
export type TraceOutcome =
  | { readonly kind: "completed" }
  /** A limit ended the work, and there is an answer. */
  | { readonly kind: "partial" }
  /** Somebody wanted it so, which is no failure. */
  | { readonly kind: "cancelled" }
  /** It waits for somebody and will be taken up again. */
  | { readonly kind: "suspended" }
  | {
      readonly kind: "failed";
      readonly error: unknown;
      /** What it is counted under. Default: as the error says. */
      readonly type?: string;
    };

/** What holds words of people, models and servers; told only to tracers that may have it. */
export type TraceContent =
  /** Messages of the kernel: the conversation that a model is sent. */
  | "input-messages"
  /** The model's message. */
  | "output-messages"
  | "tool-definitions"
  | "tool-arguments"
  | "tool-result";

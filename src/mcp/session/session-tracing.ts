import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { traceContextFrom } from "../../base/trace-context.ts";
import type { TraceMcpFacts } from "../../base/trace-operation.ts";
import { completed, outcomeOfThrown } from "../../base/trace-outcome.ts";
import type { ActiveSpan } from "../../base/tracing.ts";
import type { McpTransport } from "../../tool/mcp-server-config.ts";
import { isCustomTransport, type McpCustomTransport } from "../wire/custom-link.ts";
import type { McpError } from "../wire/mcp-error.ts";
import type { RpcId } from "../wire/rpc-message.ts";
import type { ServerLink } from "../wire/server-link.ts";
import { withMeta } from "./request-envelope.ts";

/** A request on its way. */
interface TracedRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly signal?: AbortSignal | undefined;
}

/** Tells tracers of what goes to and fro in one session with a server. */
export class SessionTracing {
  /** What the session was opened for; `undefined` where nobody traced then. */
  readonly span: ActiveSpan | undefined;
  readonly #link: Pick<ServerLink, "server" | "sessionId">;
  readonly #peer: TraceMcpFacts;
  #life: ActiveSpan | undefined;
  #protocolVersion: string | undefined;

  constructor(
    span: ActiveSpan | undefined,
    link: Pick<ServerLink, "server" | "sessionId">,
    transport: McpTransport | McpCustomTransport,
  ) {
    this.span = span;
    this.#link = link;
    this.#peer = peerOf(transport);
  }

  /** The server has been greeted. */
  opened(protocolVersion: string): void {
    this.#protocolVersion = protocolVersion;
    this.#life = this.span?.start({ kind: "mcp-session", server: this.#link.server });
    this.#life?.set({ mcp: { ...this.#peer, protocolVersion } });
  }

  closed(failure: McpError | undefined): void {
    this.#life?.end(failure === undefined ? completed : { kind: "failed", error: failure });
  }

  /**
   * A request to the server as an operation within `outer`, where somebody traces.
   *
   * @param send gets the parameters, and a function that it tells the request's id.
   */
  request<Value>(
    outer: ActiveSpan | undefined,
    { method, params, signal }: TracedRequest,
    send: (params: JsonObject, tell?: (id: RpcId) => void) => Promise<Value>,
  ): Promise<Value> {
    if (outer === undefined) {
      return send(params);
    }
    const { server } = this.#link;
    const [target, resource] = [textOf(params["name"]), textOf(params["uri"])];
    const span = outer.start({ kind: "mcp-request", server, method, target, resource });
    return endingWith(
      span,
      send(this.#withTrace(params, span), (id) => this.#tell(span, id)),
      signal,
    );
  }

  /** What a notification carries, which is part of `about` or else of what the session was opened for. */
  notification(params: JsonObject, about: ActiveSpan | undefined = this.span): JsonObject {
    return about === undefined ? params : this.#withTrace(params, about);
  }

  /** A request of the server's, as part of the trace that it says. */
  answer<Value>(
    { method, params, signal }: TracedRequest,
    id: RpcId,
    give: () => Promise<Value>,
  ): Promise<Value> {
    const known = answered.has(method) ? method : "_OTHER"; // a stranger's word
    const operation = { kind: "mcp-answer", server: this.#link.server, method: known } as const;
    const trace = traceContextFrom(metaOf(params));
    const span = this.span?.start(operation, trace);
    if (span === undefined) {
      return give();
    }
    const own = trace && this.span?.context();
    if (own !== undefined) {
      span.link(own);
    }
    this.#tell(span, id);
    return endingWith(span, span.run(give), signal);
  }

  #tell(span: ActiveSpan, id: RpcId): void {
    const protocolVersion = this.#protocolVersion;
    const { sessionId } = this.#link;
    span.set({ mcp: { ...this.#peer, requestId: String(id), sessionId, protocolVersion } });
  }

  /** With the trace context where MCP has it (SEP-414); what the caller has put there stays. */
  #withTrace(params: JsonObject, span: ActiveSpan): JsonObject {
    const trace = span.context(this.#link.server);
    return trace === undefined
      ? params
      : { ...params, ...withMeta({ _meta: trace }, metaOf(params)) };
  }
}

/** What servers may ask. */
const answered: ReadonlySet<string> = new Set([
  "elicitation/create",
  "sampling/createMessage",
  "roots/list",
]);

const textOf = (value: Json | undefined): string | undefined =>
  typeof value === "string" ? value : undefined;

const metaOf = ({ _meta: meta }: JsonObject): JsonObject => (isJsonObject(meta) ? meta : {});

async function endingWith<Value>(
  span: ActiveSpan,
  answer: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  try {
    const value = await answer;
    span.end(completed);
    return value;
  } catch (thrown) {
    span.end(outcomeOfThrown(thrown, signal));
    throw thrown;
  }
}

/** What is told of a server's place: no path and no query, which may hold credentials. */
function peerOf(transport: McpTransport | McpCustomTransport): TraceMcpFacts {
  if (isCustomTransport(transport)) {
    return {};
  }
  if (transport.type === "stdio") {
    return { network: "pipe" };
  }
  const { hostname, port, protocol } = new URL(transport.url);
  const usual = /^(https|wss):$/.test(protocol) ? 443 : 80;
  return {
    network: "tcp",
    networkProtocol: /^wss?:$/.test(protocol) ? "websocket" : "http",
    endpoint: { address: hostname, port: port === "" ? usual : Number(port) },
  };
}

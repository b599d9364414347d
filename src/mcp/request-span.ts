import { isJsonObject, type JsonObject } from "../base/json.ts";
import type { TraceMcpFacts } from "../base/trace-operation.ts";
import { completed, outcomeOfThrown } from "../base/trace-outcome.ts";
import type { ActiveSpan } from "../base/tracing.ts";
import type { McpTransport } from "../tool/mcp-server-config.ts";
import { isCustomTransport, type McpCustomTransport } from "./custom-link.ts";
import { withMeta } from "./request-envelope.ts";

/** The operation of one request, where somebody traces. */
export function startRequest(
  outer: ActiveSpan | undefined,
  server: string,
  method: string,
  { name }: JsonObject,
): ActiveSpan | undefined {
  const target = typeof name === "string" ? name : undefined;
  return outer?.start({ kind: "mcp-request", server, method, target });
}

/**
 * A request's parameters with its trace context in `_meta`, where MCP has it (SEP-414); what the caller
 * has put there stays.
 */
export function withTrace(params: JsonObject, span: ActiveSpan, server: string): JsonObject {
  const trace = span.context(server);
  return trace === undefined ? params : withMeta({ ...params, _meta: trace }, metaOf(params));
}

const metaOf = ({ _meta: meta }: JsonObject): JsonObject => (isJsonObject(meta) ? meta : {});

/** Ends a request's operation with its answer. */
export async function endingWith<Value>(
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
export function peerOf(transport: McpTransport | McpCustomTransport): TraceMcpFacts {
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
    endpoint: { address: hostname, port: port === "" ? usual : Number(port) },
  };
}

import type { Readable, Writable } from "node:stream";
import type { Caller } from "../ag-ui/handler-options.ts";
import type { McpFace } from "./mcp-face.ts";

/** The two ends that a client on standard input and output holds. */
export interface StdioStreams {
  readonly input: Readable;
  /** Nothing else may be written to it. */
  readonly output: Writable;
}

/** Our MCP server for the one client that has started this process. */
export interface StdioServing {
  /** Fulfilled when the client has closed its end, or {@link close} was called. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** Serves whoever holds the other ends, as `caller`. */
export async function serveMcpStdio(
  face: McpFace,
  { input, output }: StdioStreams,
  { caller, onError }: { readonly caller: Caller; readonly onError: (error: Error) => void },
): Promise<StdioServing> {
  const { serveStdio, StdioServerTransport } = await import("@modelcontextprotocol/server/stdio");
  const factory = await face.factory(() => caller);
  const ended = Promise.withResolvers<void>();
  for (const event of ["end", "close", "error"]) {
    input.once(event, () => ended.resolve());
  }
  const transport = new StdioServerTransport(input, output);
  const handle = serveStdio(factory, { transport, onerror: onError });
  return {
    ended: ended.promise,
    async close() {
      await handle.close();
      ended.resolve();
    },
  };
}

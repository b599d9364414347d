import type {
  AuthInfo,
  McpHttpHandler,
  McpServerFactory,
  ServerContext,
} from "@modelcontextprotocol/server";
import type { Caller } from "../ag-ui/handler-options.ts";
import { readBody } from "../ag-ui/read-body.ts";
import type { Clock } from "../base/clock.ts";
import { parseJson } from "../base/json.ts";
import type { McpFace } from "./mcp-face.ts";
import { McpSessions } from "./mcp-sessions.ts";

/** What an endpoint works with. */
export interface McpEndpointOptions {
  readonly face: McpFace;
  readonly clock: Clock;
  readonly maxBodyBytes: number;
  /** Hears what goes wrong beside the answers. */
  readonly onError: (error: Error) => void;
}

/** What the official package gives, once it is loaded. */
interface Loaded {
  readonly isLegacy: (request: Request, body: unknown) => Promise<boolean>;
  /** Requests that stand for themselves, since revision 2026-07-28. */
  readonly modern: McpHttpHandler;
  /** Sessions, of the revisions before. */
  readonly sessions: McpSessions;
}

/** Our MCP server over streamable HTTP, in all revisions of the protocol. */
export class McpEndpoint {
  readonly #options: McpEndpointOptions;
  #loading: Promise<Loaded> | undefined;

  constructor(options: McpEndpointOptions) {
    this.#options = options;
  }

  /** Answers a request of a caller who may. @throws Refusal for a body that cannot be read. */
  async handle(request: Request, caller: Caller): Promise<Response> {
    this.#loading ??= load(this.#options);
    const { isLegacy, modern, sessions } = await this.#loading;
    const authInfo: AuthInfo = { token: "", clientId: "", scopes: [], extra: { caller } };
    if (request.method !== "POST") {
      return sessions.handle(request, caller, { authInfo });
    }
    const text = await readBody(request, this.#options.maxBodyBytes);
    const parsedBody = parseJson(text);
    if (parsedBody === undefined) {
      return notJson();
    }
    return (await isLegacy(request, parsedBody))
      ? sessions.handle(request, caller, { authInfo, parsedBody })
      : modern.fetch(request, { authInfo, parsedBody });
  }

  /** Ends what is going on, calls of tools included. */
  async close(): Promise<void> {
    const loaded = await this.#loading?.catch(() => undefined);
    await Promise.all([loaded?.modern.close(), loaded?.sessions.close()]);
  }
}

/** The caller that came with a request. */
const callerOfRequest = ({ http }: ServerContext): Caller =>
  (http?.authInfo?.extra?.["caller"] as Caller | undefined) ?? {}; // handle() has put it there

async function load({ face, clock, maxBodyBytes, onError }: McpEndpointOptions): Promise<Loaded> {
  const official = await import("@modelcontextprotocol/server");
  const { createMcpHandler, isLegacyRequest, WebStandardStreamableHTTPServerTransport } = official;
  const factory: McpServerFactory = await face.factory(callerOfRequest);
  const maxRequestBodySize = maxBodyBytes;
  return {
    isLegacy: (request, body) => isLegacyRequest(request, body, { maxRequestBodySize }),
    modern: createMcpHandler(factory, { legacy: "reject", onerror: onError, maxRequestBodySize }),
    sessions: new McpSessions({
      clock,
      factory,
      onError,
      newTransport: (options) => new WebStandardStreamableHTTPServerTransport(options),
    }),
  };
}

function notJson(): Response {
  const error = { code: -32700, message: "Parse error: the body is not JSON." };
  return Response.json({ jsonrpc: "2.0", id: null, error }, { status: 400 });
}

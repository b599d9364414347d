import type {
  AuthInfo,
  McpServerFactory,
  Server,
  WebStandardStreamableHTTPServerTransport,
  WebStandardStreamableHTTPServerTransportOptions,
} from "@modelcontextprotocol/server";
import type { Caller } from "../ag-ui/handler-options.ts";
import type { Clock } from "../base/clock.ts";

/** What sessions are made with. */
export interface McpSessionsOptions {
  readonly clock: Clock;
  readonly factory: McpServerFactory;
  readonly onError: (error: Error) => void;
  readonly newTransport: (
    options: WebStandardStreamableHTTPServerTransportOptions,
  ) => WebStandardStreamableHTTPServerTransport;
}

/** What a request comes with besides itself. */
interface GivenWith {
  readonly authInfo: AuthInfo;
  readonly parsedBody?: unknown;
}

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: Pick<Server, "close">;
  readonly actor: string | undefined;
  usedAt: number;
}

/** Of a caller's sessions above this number, the one that was used least lately is ended. */
const mostPerCaller = 100;

/** A session that nobody uses for so long is ended, in milliseconds. */
const idleMs = 30 * 60_000;

/** Sessions of MCP clients before revision 2026-07-28. A session is its caller's: no other can use it. */
export class McpSessions {
  readonly #options: McpSessionsOptions;
  /** The one that was used last stands last. */
  readonly #sessions = new Map<string, Session>();

  constructor(options: McpSessionsOptions) {
    this.#options = options;
  }

  async handle(request: Request, caller: Caller, given: GivenWith): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    if (id === null) {
      return this.#begin(request, caller, given);
    }
    const session = this.#sessions.get(id);
    if (session === undefined || session.actor !== caller.actor) {
      return noSession();
    }
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    session.usedAt = this.#options.clock.now();
    return session.transport.handleRequest(request, given);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((id) => this.#end(id)));
  }

  /** A request without a session may only begin one; the transport refuses all others. */
  async #begin(request: Request, { actor }: Caller, given: GivenWith): Promise<Response> {
    const { clock, factory, newTransport, onError } = this.#options;
    const made = await factory({ era: "legacy", authInfo: given.authInfo, requestInfo: request });
    let isKept = false;
    const transport = newTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => {
        isKept = true;
        this.#sessions.set(id, { transport, server: made, actor, usedAt: clock.now() });
      },
      onsessionclosed: (id) => this.#end(id),
    });
    transport.onerror = onError;
    await made.connect(transport);
    const response = await transport.handleRequest(request, given);
    if (isKept) {
      await this.#sweep(actor);
    } else {
      await made.close();
    }
    return response;
  }

  async #sweep(actor: string | undefined): Promise<void> {
    const oldest = this.#options.clock.now() - idleMs;
    const all = [...this.#sessions];
    const own = all.filter(([, session]) => session.actor === actor);
    const tooMany = own.slice(0, Math.max(0, own.length - mostPerCaller));
    const idle = all.filter(([, { usedAt }]) => usedAt < oldest);
    await Promise.all([...tooMany, ...idle].map(([id]) => this.#end(id)));
  }

  async #end(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    await session?.server.close();
  }
}

/** In the words of the specification, after which a client begins anew. */
function noSession(): Response {
  const error = { code: -32001, message: "Session not found" };
  return Response.json({ jsonrpc: "2.0", id: null, error }, { status: 404 });
}

import { request } from "node:http";
import type { AgentDefinition } from "../src/agent/agent-definition.ts";
import type { DragomanConfig } from "../src/configure.ts";
import { createServer, type DragomanServer } from "../src/server/create-server.ts";
import type { ServerAuth, ServerOptions } from "../src/server/server-options.ts";
import { memorySessions } from "../src/stores/memory-sessions.ts";
import { agentOf } from "./agent-fixture.ts";

/** A server that listens, until its scope is left. */
export interface TestServer extends AsyncDisposable {
  readonly server: DragomanServer;
  readonly url: string;
  /** A request of an actor, by name; with a body it is a POST of JSON. */
  ask(path: string, init?: AskInit): Promise<Response>;
}

export interface AskInit {
  /** Default `"ada"`; `null` for nobody. */
  readonly as?: string | null;
  readonly body?: object;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Knows everybody by a bearer token that is their name, twice. */
export const auth: ServerAuth = ({ headers }) => {
  const [, one, other] = /^Bearer (\w+)-(\w+)$/.exec(headers.get("authorization") ?? "") ?? [];
  return one !== undefined && one === other ? { actor: one, context: { of: one } } : null;
};

/** The agent "tester" on a server with sessions; everybody who knows the trick may come in. */
export async function serve(
  definition: Omit<AgentDefinition, "name">,
  options: Partial<ServerOptions> & { readonly config?: DragomanConfig } = {},
): Promise<TestServer> {
  const { config = {}, ...rest } = options;
  const agent = agentOf(definition, { sessions: memorySessions(), ...config });
  return listening(createServer({ agents: [agent], auth, log: "none", ...rest }));
}

/** Lets a server listen. */
export async function listening(server: DragomanServer): Promise<TestServer> {
  const { url } = await server.listen();
  return {
    server,
    url,
    ask: (path, { as = "ada", body, method, headers = {}, signal } = {}) =>
      fetch(`${url}${path}`, {
        method: method ?? (body === undefined ? "GET" : "POST"),
        headers: {
          ...(as === null ? {} : { authorization: `Bearer ${as}-${as}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      }),
    [Symbol.asyncDispose]: () => server.close({ graceMs: 0 }),
  };
}

/** The status of a request whose headers are exactly these: `fetch` sets `Host` by itself. */
export function statusOf(
  url: string,
  headers: Readonly<Record<string, string>>,
  method = "GET",
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on("error", reject);
    sent.end();
  });
}

/** What an AG-UI client sends. */
export const agUiInput = (
  content: string,
  more: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> => ({
  threadId: "thread",
  runId: "wire-1",
  protocolVersion: "1.0",
  messages: [{ id: content, role: "user", content }],
  tools: [],
  context: [],
  ...more,
});

/** JSON of a response. The tests say what they expect of it. */
// biome-ignore lint/suspicious/noExplicitAny: whatever the server says
export const jsonOf = async (response: Response): Promise<any> => response.json();

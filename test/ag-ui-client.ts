import type { AgUiEvent } from "../src/ag-ui/ag-ui-event.ts";
import type { AgUiHandler } from "../src/ag-ui/create-ag-ui-handler.ts";
import type { AgUiHandlerOptions } from "../src/ag-ui/handler-options.ts";
import type { RunAgentInput } from "../src/ag-ui/run-agent-input.ts";

/** The address of tests: what is before the query is of no matter. */
const address = "http://desk.example/agents/tester/ag-ui";

/** A user's message. */
export const user = (content: string, id: string = content): RunAgentInput["messages"][number] => ({
  id,
  role: "user",
  content,
});

/** A request that runs. */
export function post(
  handler: AgUiHandler,
  input: Partial<RunAgentInput> | string,
  init: RequestInit = {},
): Promise<Response> {
  const whole =
    typeof input === "string"
      ? input
      : JSON.stringify({
          threadId: "thread",
          runId: "run-1",
          protocolVersion: "1.0",
          messages: [],
          tools: [],
          context: [],
          ...input,
        });
  const headers = { "content-type": "application/json", ...init.headers };
  return handler(new Request(address, { method: "POST", body: whole, ...init, headers }));
}

/** A request that reads on, or cancels. */
export const request = (
  handler: AgUiHandler,
  query: Readonly<Record<string, string>>,
  init: RequestInit = {},
): Promise<Response> =>
  handler(new Request(`${address}?${new URLSearchParams(query)}`, { method: "GET", ...init }));

/** One frame as it came. */
export interface Frame {
  readonly id: string | undefined;
  readonly event: AgUiEvent;
}

/** The frames of a stream, as they come; leaving the loop cancels the response. */
export async function* framesOf(response: Response): AsyncGenerator<Frame, void, undefined> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    const parts = `${rest}${decoder.decode(chunk, { stream: true })}`.split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts.filter((one) => !one.startsWith(":"))) {
      const lines = part.split("\n");
      const fieldOf = (name: string): string | undefined =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      yield { id: fieldOf("id"), event: JSON.parse(fieldOf("data") ?? "null") as AgUiEvent }; // ours
    }
  }
}

/** All events of a stream. */
export async function eventsIn(response: Response): Promise<readonly AgUiEvent[]> {
  const events: AgUiEvent[] = [];
  for await (const { event } of framesOf(response)) {
    events.push(event);
  }
  return events;
}

/** Why a request was refused. */
export async function refusalIn(response: Response): Promise<readonly [number, string]> {
  const { error } = (await response.json()) as { readonly error: { readonly code: string } }; // ours
  return [response.status, error.code];
}

/** What the agent said in a stream. */
export const textIn = (events: readonly AgUiEvent[]): string =>
  events.map((event) => (event.type === "TEXT_MESSAGE_CONTENT" ? event.delta : "")).join("");

/** Knows callers by a header. */
export const authenticate: AgUiHandlerOptions["authenticate"] = ({ headers }) => {
  const actor = headers.get("x-user");
  return actor === null ? undefined : { actor, context: { of: actor } };
};

/** Requests of Ada. */
export const ada: { readonly headers: Readonly<Record<string, string>> } = {
  headers: { "x-user": "ada" },
};

/** Requests of somebody else. */
export const eve: { readonly headers: Readonly<Record<string, string>> } = {
  headers: { "x-user": "eve" },
};

import type { Assembly } from "../agent/assembly.ts";
import { runtimeOf } from "../agent/create-assembly.ts";
import { checkNumbers } from "../base/check-numbers.ts";
import { checkObject } from "../base/check-object.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { AgUiEndpoint } from "./ag-ui-endpoint.ts";
import type { AgUiHandlerOptions } from "./handler-options.ts";

/** Serves an agent to AG-UI clients: from a web request to its response. Never rejects. */
export interface AgUiHandler {
  (request: Request): Promise<Response>;
  /** Cancels the runs that are going on and forgets those that clients might come back to. */
  close(): Promise<void>;
}

/**
 * Serves an agent, or several as one, to AG-UI clients at one address, whatever routes requests there.
 *
 * - `POST` with a `RunAgentInput` runs, and answers with a stream of server-sent events. Input that is
 *   not valid is refused before that, with 400, 401, 403, 413 or 415 and JSON. The same thread and run
 *   again, while the run is there, read it from its beginning.
 * - `GET ?threadId=…&runId=…` reads on after `Last-Event-ID`; `DELETE` of the same cancels the run.
 * - `GET` alone tells the capabilities.
 *
 * Everything in an input is the caller's word: its instructions are left out, and who the caller is says
 * `authenticate` alone. Where sessions are kept, the history is theirs, and of the input only what the
 * user says is new, and results of calls that wait for them.
 *
 * @throws ConfigurationError where the agent was not made by this library, or an option is missing.
 */
export function createAgUiHandler(agent: Assembly, options: AgUiHandlerOptions): AgUiHandler {
  if (typeof options?.authenticate !== "function") {
    const message =
      "An AG-UI handler needs authenticate(request): who calls. authenticate: () => ({}) lets everybody in.";
    throw new ConfigurationError(message, { code: "invalid-configuration" });
  }
  checkObject(options, Object.keys(optionNames), "set of options of an AG-UI handler");
  if (runtimeOf(agent) === undefined) {
    const message = "An AG-UI handler needs an agent that was made by defineAgent, or an assembly.";
    throw new ConfigurationError(message, { code: "invalid-configuration" });
  }
  const place = { where: "of the AG-UI handler" };
  checkNumbers(options, { keepMs: "milliseconds-or-0", heartbeatMs: "milliseconds" }, place);
  const limits = { maxBytes: "bytes", maxMessages: "count", maxTools: "count-or-0" } as const;
  checkNumbers(options.limits ?? {}, limits, { where: "in limits of the AG-UI handler" });
  const runtimeNow = (): NonNullable<ReturnType<typeof runtimeOf>> => {
    const runtime = runtimeOf(agent);
    if (runtime === undefined) {
      throw new ConfigurationError("The agent is not there any more.", {
        code: "invalid-configuration",
      });
    }
    return runtime;
  };
  const endpoint = new AgUiEndpoint(agent, runtimeNow, options);
  return Object.assign((request: Request) => endpoint.handle(request), {
    close: () => endpoint.close(),
  });
}

/** Every option, so that the compiler misses none here. */
const optionNames: Readonly<Record<keyof AgUiHandlerOptions, true>> = {
  authenticate: true,
  sessions: true,
  runs: true,
  runOptions: true,
  onDisconnect: true,
  keepMs: true,
  clientTools: true,
  clientContext: true,
  state: true,
  filter: true,
  traceContext: true,
  heartbeatMs: true,
  limits: true,
};

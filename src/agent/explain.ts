import type { Model, ModelRequest } from "../model/model.ts";
import type { AgentMode } from "./agent-definition.ts";
import { agentParticipant } from "./agent-participant.ts";
import { HostedRun } from "./hosted-run.ts";
import type { KeptToolsets } from "./kept-toolsets.ts";
import { promptsVersion } from "./prompts.ts";
import type { FailedServer, RunFailure } from "./run-failure.ts";
import type { RunInput } from "./run-input.ts";
import { chooseModels, type RunSettings } from "./run-scope.ts";
import { withRunTools } from "./with-run-tools.ts";

/** What a model would get, and why. */
export interface Explanation {
  /** The id of the model that would be asked. */
  readonly model: string;
  /** What is said of its choice, where nobody made it. */
  readonly notices: readonly string[];
  readonly mode: AgentMode;
  /** Version of Dragoman's own prompts. */
  readonly promptsVersion: number;
  /** The first request, exactly; `undefined` where a hook answers before it, or the run fails before it. */
  readonly request: ModelRequest | undefined;
  /** Why there is no request, where something went wrong before it. */
  readonly error?: RunFailure;
  readonly failedServers: readonly FailedServer[];
}

/** A tool that an agent's runs have. */
export interface AvailableTool {
  /** What the model calls it. */
  readonly name: string;
  readonly description: string;
  /** The server's own name of it. */
  readonly sourceName?: string;
  /** The alias of the server that it comes from. */
  readonly server?: string;
}

/**
 * The first request of a run, without a model being asked. Servers are opened and hooks are called as
 * in a run; a session is left out.
 */
export async function explainRun(settings: RunSettings, input: RunInput): Promise<Explanation> {
  const { chosen } = await chooseModels(settings);
  let request: ModelRequest | undefined;
  const model: Model = {
    ...pick(chosen.model),
    // biome-ignore lint/correctness/useYield: the point is that nothing is said
    async *stream(asked) {
      request ??= { ...asked, messages: [...asked.messages] };
      throw new Error("explained");
    },
  };
  const { session: _session, store: _store, ...options } = settings.options;
  const definition = { ...settings.definition, fallbackModels: [] };
  const run = new HostedRun({
    participant: agentParticipant(definition, settings.output),
    runtime: { ...settings.runtime, runs: undefined },
    options: { ...options, model },
    source: { kind: "ask", input },
    observed: false,
  });
  const result = await run.result;
  const failed = request === undefined && result.status === "failed";
  return {
    model: chosen.model.id,
    notices: (chosen.notices ?? []).map(({ message }) => message),
    mode: settings.definition.mode ?? "auto",
    promptsVersion,
    request,
    ...(failed ? { error: result.error } : {}),
    failedServers: result.failedServers,
  };
}

/** The tools that such a run would have; what is not kept open is opened and closed. */
export async function listAvailableTools(
  settings: RunSettings,
  kept?: KeptToolsets,
): Promise<readonly AvailableTool[]> {
  return withRunTools(settings, kept, async ({ tools: { tools } }) =>
    [...tools].map(([name, { description, source }]) => ({
      name,
      description,
      ...(source === undefined ? {} : { sourceName: source.name, server: source.server }),
    })),
  );
}

const pick = ({ id, capabilities }: Model): Pick<Model, "id" | "capabilities"> => ({
  id,
  capabilities,
});

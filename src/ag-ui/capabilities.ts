import type { JsonObject } from "../base/json.ts";
import { version } from "../base/version.ts";
import type { AgUiHandlerOptions } from "./handler-options.ts";

/** Whose capabilities are told. */
export interface CapabilityScope {
  readonly name: string;
  readonly description: string | undefined;
  readonly options: AgUiHandlerOptions;
}

/** What an endpoint can do, in the protocol's form `AgentCapabilities`. */
export function capabilitiesOf({ name, description, options }: CapabilityScope): JsonObject {
  const { onDisconnect = "cancel", clientTools = true, state, sessions } = options;
  return {
    identity: {
      name,
      type: "dragoman",
      version,
      ...(description === undefined ? {} : { description }),
    },
    transport: { streaming: true, httpBinary: false, resumable: onDisconnect === "continue" },
    tools: { supported: true, parallelCalls: true, clientProvided: clientTools },
    output: { structuredOutput: true },
    state: {
      snapshots: state !== undefined,
      deltas: state !== undefined,
      persistentState: state !== undefined && sessions !== "none",
    },
    reasoning: { supported: true, streaming: true, encrypted: false },
    humanInTheLoop: {
      supported: true,
      approvals: true,
      interrupts: true,
      approveWithEdits: false,
    },
  };
}

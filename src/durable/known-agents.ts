import type { Assembly } from "../agent/assembly.ts";
import { participantOf, runtimeOf } from "../agent/create-assembly.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";

/** Those whose runs an executor executes, by their names. */
export class KnownAgents {
  readonly #byName = new Map<string, Assembly>();

  /** @throws ConfigurationError for what is no agent, and where two have one name. */
  constructor(agents: readonly Assembly[]) {
    for (const agent of agents) {
      if (this.#byName.has(agent.name) || participantOf(agent) === undefined) {
        throw invalid(`"${agent.name}" is no agent, or one of two of that name.`);
      }
      this.#byName.set(agent.name, agent);
    }
  }

  get names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  get(name: string): Assembly | undefined {
    return this.#byName.get(name);
  }

  /** @throws ConfigurationError where it is not known, or another one of its name is. */
  demand(agent: Assembly | string): Assembly {
    const name = typeof agent === "string" ? agent : agent.name;
    const known = this.#byName.get(name);
    if (known === undefined || (typeof agent !== "string" && agent !== known)) {
      const names = this.names.map((one) => `"${one}"`).join(", ") || "none";
      throw invalid(`The executor does not know the agent "${name}"; it was given: ${names}.`);
    }
    return known;
  }

  /** @throws ConfigurationError where one is configured with another application than the executor. */
  checkApplication(app: string): void {
    for (const [name, agent] of this.#byName) {
      const own = runtimeOf(agent)?.app;
      if (own !== app) {
        throw invalid(
          `The executor is of the application "${app}", but its agent "${name}" is of "${own}": give it the app that its agents are configured with.`,
        );
      }
    }
  }
}

const invalid = (message: string): ConfigurationError =>
  new ConfigurationError(message, { code: "invalid-configuration" });

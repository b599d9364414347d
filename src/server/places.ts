import type { AgentRuntime } from "../agent/agent-runtime.ts";
import type { Assembly } from "../agent/assembly.ts";
import { runtimeOf } from "../agent/create-assembly.ts";
import { MemoryRunStore } from "../agent/memory-run-store.ts";
import type { RunStore } from "../agent/run-store.ts";
import type { SessionStore } from "../agent/session-store.ts";
import { toolBenchOf } from "../agent/tool-bench.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import type { RunTracker } from "./run-tracker.ts";

/** An agent that is served, and where what belongs to it is kept. */
export interface Place {
  /** Its runs are known to the server's tracker. */
  readonly agent: Assembly;
  /** As it was given. */
  readonly given: Assembly;
  readonly runtime: AgentRuntime;
  readonly app: string;
  readonly runs: RunStore;
  readonly sessions: SessionStore | undefined;
  /** Whether its runs outlive the process. */
  readonly isDurable: boolean;
}

/** What places are made of. */
export interface PlacesOptions {
  readonly agents: readonly Assembly[];
  readonly store: RunStore | undefined;
  readonly sessions: SessionStore | undefined;
  readonly tracker: RunTracker;
}

/** Runs that nobody keeps otherwise; of more, the oldest are forgotten. */
export const mostRunsInMemory = 200;

interface Runner {
  /** Known to the tracker. */
  readonly agent: Assembly;
  readonly given: Assembly;
}

/** The agents of a server by their names, and the benches at which their tools are tried. */
export class Places {
  readonly #options: PlacesOptions;
  readonly #agents = new Map<string, Runner>();
  /** By the agent's name. */
  readonly #benches = new Map<string, Runner>();
  readonly #memory = new MemoryRunStore({ maxRuns: mostRunsInMemory });

  /** @throws ConfigurationError where there is no agent, one is none, or two have one name. */
  constructor(options: PlacesOptions) {
    this.#options = options;
    if (!Array.isArray(options.agents) || options.agents.length === 0) {
      throw invalid("A server needs agents: createServer({ agents: [support] }).");
    }
    for (const given of options.agents) {
      const { name } = given;
      if (this.#agents.has(name)) {
        throw invalid(`Two agents of the server have the name "${name}".`);
      }
      if (runtimeOf(given) === undefined) {
        throw invalid(
          `"${name}" is no agent that was made by defineAgent, and no assembly of them. Where it is one, two copies of dragoman are installed.`,
        );
      }
      this.#agents.set(name, { agent: options.tracker.tracked(given), given });
      const bench = toolBenchOf(given);
      if (bench !== undefined) {
        this.#benches.set(name, { agent: options.tracker.tracked(bench), given: bench });
      }
    }
  }

  get names(): readonly string[] {
    return [...this.#agents.keys()];
  }

  /** The place of an agent, as it is configured now. */
  find(name: string): Place | undefined {
    return this.#placeOf(this.#agents.get(name));
  }

  /** The bench of an agent. */
  findBench(agent: string): Place | undefined {
    return this.#placeOf(this.#benches.get(agent));
  }

  /** Whose run it is: an agent's, by its name, or a bench's. */
  findRunner(name: string): Place | undefined {
    return this.find(name) ?? this.benches.find(({ agent }) => agent.name === name);
  }

  get all(): readonly Place[] {
    return this.names.flatMap((name) => this.find(name) ?? []);
  }

  get benches(): readonly Place[] {
    return this.names.flatMap((name) => this.findBench(name) ?? []);
  }

  #placeOf(known: Runner | undefined): Place | undefined {
    const runtime = known && runtimeOf(known.given);
    if (known === undefined || runtime === undefined) {
      return undefined;
    }
    const kept = this.#options.store ?? runtime.runs;
    return {
      ...known,
      runtime,
      app: runtime.app,
      runs: kept ?? this.#memory,
      sessions: this.#options.sessions ?? runtime.sessions,
      isDurable: kept !== undefined,
    };
  }

  /** One place for each store of runs and application. */
  get ofRuns(): readonly Place[] {
    return distinct(this.all, ({ runs }) => runs);
  }

  /** One place for each store of sessions and application. */
  get ofSessions(): readonly Place[] {
    return distinct(
      this.all.filter(({ sessions }) => sessions !== undefined),
      ({ sessions }) => sessions,
    );
  }
}

function distinct(places: readonly Place[], storeOf: (place: Place) => unknown): readonly Place[] {
  return places.filter(
    (place, index) =>
      places.findIndex((one) => one.app === place.app && storeOf(one) === storeOf(place)) === index,
  );
}

const invalid = (message: string): ConfigurationError =>
  new ConfigurationError(message, { code: "invalid-configuration" });

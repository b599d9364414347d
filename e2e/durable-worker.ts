import type { RunChanges, RunKey, RunStore } from "../src/agent/run-store.ts";
import { postgresRuns } from "../src/stores/postgres-runs.ts";
import { sqliteRuns } from "../src/stores/sqlite-runs.ts";
import { type DurableAgentOptions, durableAgent, killItself, secret } from "./durable-agent.ts";

/** What a worker is told, as JSON in its first argument. */
export interface WorkerOptions extends DurableAgentOptions {
  readonly place: StorePlace;
  /** It is killed at this write to its store, from 1 on. */
  readonly killAtWrite?: { readonly count: number; readonly when: "before" | "after" } | undefined;
  /** The run to resume; absent: a new one is begun. */
  readonly runId?: string | undefined;
}

/** Where runs are kept. */
export type StorePlace =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgres"; readonly url: string; readonly schema: string };

/** The store at a place. */
export function openStoreAt(place: StorePlace): RunStore {
  return place.kind === "sqlite"
    ? sqliteRuns({ file: place.file })
    : postgresRuns({ connectionString: place.url, schema: place.schema });
}

/** Lets the process die at one of a store's writes. */
function mortal(store: RunStore, { killAtWrite }: WorkerOptions): RunStore {
  const write = store.write.bind(store);
  let count = 0;
  return Object.assign(store, {
    async write(key: RunKey, owner: string, changes: RunChanges): Promise<void> {
      count += 1;
      const here = killAtWrite?.count === count ? killAtWrite.when : undefined;
      if (here === "before") {
        killItself();
      }
      await write(key, owner, changes);
      if (here === "after") {
        killItself();
      }
    },
  });
}

if (process.argv[1] === import.meta.filename) {
  const options = JSON.parse(process.argv[2] ?? "{}") as WorkerOptions;
  await using store = mortal(openStoreAt(options.place), options);
  const agent = durableAgent(options);
  const given = { store, actor: "ann", context: { token: secret } };
  const { runId } = options;
  const result = await (runId === undefined
    ? agent.ask("Book a seat", given)
    : agent.resume(runId, given));
  process.stdout.write(JSON.stringify({ status: result.status, runId: result.runId }));
}

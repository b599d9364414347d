import { messageOf } from "../base/dragoman-error.ts";
import { startTimeLimit } from "../base/time-limit.ts";
import type { Binding } from "../tool/binding.ts";
import type { Catalogue, CatalogueStore, CatalogueTool } from "../tool/catalogue.ts";
import type { ScoredDocument } from "../tool/scorer.ts";
import type { OpenToolset, Toolset } from "../tool/toolset.ts";
import type { AgentRuntime } from "./agent-runtime.ts";
import { whileRunning } from "./run-patience.ts";

/** A catalogue that was not seen to be true for a day is not believed any more, in milliseconds. */
const longestAgeMs = 24 * 60 * 60 * 1000;

/** How long a run waits for what it can do without, in milliseconds. */
const longestWaitMs = 5_000;

/** What a run knows of the tools of servers, without opening them. */
export class Catalogues {
  readonly #runtime: AgentRuntime;
  readonly #binding: Binding;

  constructor(runtime: AgentRuntime, binding: Binding) {
    this.#runtime = runtime;
    this.#binding = binding;
  }

  /** The tools that the toolset had when it was last open, in its order; `undefined` where unknown. */
  async find(toolset: Toolset): Promise<readonly ScoredDocument[] | undefined> {
    const found = await this.#read(this.#keyOf(toolset));
    const isFresh = found !== undefined && this.#runtime.clock.now() - found.time < longestAgeMs;
    return isFresh ? documentsOf(found.tools, toolset) : undefined;
  }

  /** Remembers the tools of an open toolset. @returns a document for each of them, in their order. */
  async remember(toolset: Toolset, opened: OpenToolset): Promise<readonly ScoredDocument[]> {
    const key = this.#keyOf(toolset);
    const tools = opened.tools.map(
      ({ name, description, parameters }): CatalogueTool => ({ name, description, parameters }),
    );
    const before = await this.#read(key);
    // The same objects for the same tools, so that what was made of them can be used again.
    const same = before !== undefined && JSON.stringify(before.tools) === JSON.stringify(tools);
    const kept = same ? before.tools : tools;
    await this.#write(key, {
      revision: revisionOf(opened),
      time: this.#runtime.clock.now(),
      tools: kept,
    });
    return documentsOf(kept, toolset);
  }

  /** Forgets the tools of a toolset, which are others now. Never rejects. */
  async forget(toolset: Toolset): Promise<void> {
    const key = this.#keyOf(toolset);
    if (key !== undefined) {
      // The run that is over meanwhile has no use for it.
      await this.#using(async (store) => store.delete?.(key)).catch(() => {});
    }
  }

  #keyOf(toolset: Toolset): string | undefined {
    return toolset.catalogueKey?.(this.#binding, this.#runtime.pins);
  }

  async #read(key: string | undefined): Promise<Catalogue | undefined> {
    return key === undefined ? undefined : this.#using((store) => store.get(key));
  }

  async #write(key: string | undefined, catalogue: Catalogue): Promise<void> {
    if (key !== undefined) {
      await this.#using((store) => store.set(key, catalogue));
    }
  }

  /** A store that fails, or does not answer, costs a connection, not the run. */
  async #using<Value>(use: (store: CatalogueStore) => Promise<Value>): Promise<Value | undefined> {
    const { catalogues, logger, clock } = this.#runtime;
    const late = (): Error => new Error(`it did not answer within ${longestWaitMs} ms`);
    const { signal, stop } = startTimeLimit(clock, this.#binding.signal, longestWaitMs, late);
    try {
      return await whileRunning(signal, () => use(catalogues));
    } catch (thrown) {
      this.#binding.signal.throwIfAborted();
      logger.warn(`The store of catalogues failed: ${messageOf(thrown)}`);
      return undefined;
    } finally {
      stop();
    }
  }
}

function revisionOf({ serverInfo }: OpenToolset): string {
  return serverInfo === undefined ? "" : `${serverInfo.name}@${serverInfo.version}`;
}

/** Documents of catalogues that are still in use. */
const kept = new WeakMap<readonly CatalogueTool[], readonly ScoredDocument[]>();

function documentsOf(
  tools: readonly CatalogueTool[],
  { name, description }: Toolset,
): readonly ScoredDocument[] {
  const known = kept.get(tools);
  if (known !== undefined) {
    return known;
  }
  const server = { name, description };
  const documents = tools.map((tool): ScoredDocument => ({ ...tool, server }));
  kept.set(tools, documents);
  return documents;
}

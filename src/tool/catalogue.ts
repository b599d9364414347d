import { checkNumbers } from "../base/check-numbers.ts";
import type { JsonSchema } from "../base/json-schema.ts";

/** The tools of a server as they were when it was last open. */
export interface Catalogue {
  /** The server's name and version as it gave them: `name@version`; empty where it gave none. */
  readonly revision: string;
  /** When it was last seen so, in milliseconds since the Unix epoch. */
  readonly time: number;
  readonly tools: readonly CatalogueTool[];
}

/** What a catalogue keeps of a tool. */
export interface CatalogueTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

/**
 * Remembers the catalogues of servers, so that a tool can be searched for without a connection.
 *
 * A key is opaque and holds no credential. It stands for a server and for whoever may see its tools:
 * what is kept under one key must never come back under another. A store may forget whatever it likes;
 * one that rejects counts as one that knows nothing.
 */
export interface CatalogueStore {
  get(key: string): Promise<Catalogue | undefined>;
  set(key: string, catalogue: Catalogue): Promise<void>;
  /** Forgets one that is not true any more. Absent: it is overwritten when the server is next open. */
  delete?(key: string): Promise<void>;
}

/** Keeps so many catalogues in this process, those that were used last. */
export function memoryCatalogues({
  maxCatalogues = 1_000,
}: {
  readonly maxCatalogues?: number;
} = {}): CatalogueStore {
  checkNumbers({ maxCatalogues }, { maxCatalogues: "count" }, { where: "of memoryCatalogues" });
  const kept = new Map<string, Catalogue>();
  const use = (key: string, catalogue: Catalogue): void => {
    kept.delete(key);
    kept.set(key, catalogue);
    const [oldest] = kept.keys();
    if (oldest !== undefined && kept.size > maxCatalogues) {
      kept.delete(oldest);
    }
  };
  return {
    async get(key) {
      const found = kept.get(key);
      if (found !== undefined) {
        use(key, found);
      }
      return found;
    },
    async set(key, catalogue) {
      use(key, catalogue);
    },
    async delete(key) {
      kept.delete(key);
    },
  };
}

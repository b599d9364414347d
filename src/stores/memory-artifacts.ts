import { ArtifactError } from "../agent/artifact-error.ts";
import type {
  ArtifactContent,
  ArtifactFilter,
  ArtifactHolder,
  ArtifactKey,
  ArtifactOwner,
  ArtifactPage,
  ArtifactRetention,
  ArtifactStore,
  ArtifactSummary,
  NewArtifact,
} from "../agent/artifact-store.ts";
import { checkNumbers } from "../base/check-numbers.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { sha256 } from "../base/sha256.ts";
import {
  type ArtifactStoreLimits,
  checkArtifactFilter,
  checkArtifactKey,
  checkHolder,
  checkNewArtifact,
  checkRetention,
  defaultArtifactBytes,
  isHeldBy,
  toArtifactPage,
  toSummary,
} from "./artifact-record.ts";

/** Options of {@link memoryArtifacts}. */
export interface MemoryArtifactsOptions extends ArtifactStoreLimits {
  /** All artifacts together, in bytes; what is beyond is refused. Default 256 MiB. */
  readonly maxTotalBytes?: number;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
}

/** Artifacts in this process, as long as it lives: for tests, and for what may be lost. */
export function memoryArtifacts(options: MemoryArtifactsOptions = {}): ArtifactStore {
  return new MemoryArtifacts(options);
}

interface Kept {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** By run. */
  readonly summaries: Map<string, ArtifactSummary>;
}

class MemoryArtifacts implements ArtifactStore {
  readonly #options: Required<MemoryArtifactsOptions>;
  /** By owner, then by id. */
  readonly #owners = new Map<string, Map<string, Kept>>();
  #bytes = 0;

  constructor(options: MemoryArtifactsOptions) {
    const numbers = { maxArtifactBytes: "bytes", maxTotalBytes: "bytes" } as const;
    checkNumbers(options, numbers, { where: "of memoryArtifacts" });
    this.#options = {
      maxArtifactBytes: options.maxArtifactBytes ?? defaultArtifactBytes,
      maxTotalBytes: options.maxTotalBytes ?? 8 * defaultArtifactBytes,
      clock: options.clock ?? systemClock,
    };
  }

  async put(artifact: NewArtifact): Promise<ArtifactSummary> {
    checkNewArtifact(artifact, this.#options.maxArtifactBytes);
    const bytes = artifact.bytes.slice();
    const id = `sha256-${await sha256(bytes)}`;
    const owned = this.#owned(artifact);
    const kept = owned.get(id) ?? this.#add(owned, id, bytes);
    const known = kept.summaries.get(artifact.runId);
    if (known !== undefined) {
      const { session } = artifact;
      const held = known.session === undefined && session !== undefined;
      const now = held ? { ...known, session } : known;
      kept.summaries.set(artifact.runId, now);
      return now;
    }
    const summary = toSummary(artifact, { id, createdAt: this.#options.clock.now() });
    kept.summaries.set(artifact.runId, summary);
    return summary;
  }

  async get(key: ArtifactKey): Promise<ArtifactContent | undefined> {
    const kept = checkArtifactKey(key) ? this.#owners.get(placeOf(key))?.get(key.id) : undefined;
    const summary = [...(kept?.summaries.values() ?? [])].at(-1);
    return kept && summary && { ...summary, bytes: kept.bytes.slice() };
  }

  async list(filter: ArtifactFilter): Promise<ArtifactPage> {
    const size = checkArtifactFilter(filter);
    const owned = [...(this.#owners.get(placeOf(filter))?.values() ?? [])];
    return toArtifactPage(
      owned.flatMap(({ summaries }) => [...summaries.values()]),
      filter,
      size,
    );
  }

  async delete(key: ArtifactKey): Promise<boolean> {
    const owned = checkArtifactKey(key) ? this.#owners.get(placeOf(key)) : undefined;
    const kept = owned?.get(key.id);
    this.#bytes -= kept?.bytes.length ?? 0;
    return owned?.delete(key.id) ?? false;
  }

  async release(owner: ArtifactOwner, holder: ArtifactHolder): Promise<number> {
    checkHolder(owner, holder);
    return this.#drop(placeOf(owner), (summary) => isHeldBy(summary, holder));
  }

  async prune(retention: ArtifactRetention): Promise<number> {
    checkRetention(retention);
    const { app, olderThanMs, maxTotalBytes } = retention;
    const places = [...this.#owners].filter(([, owned]) => appOf(owned) === app);
    let gone = 0;
    if (olderThanMs !== undefined) {
      const latest = this.#options.clock.now() - olderThanMs;
      for (const [place] of places) {
        gone += this.#drop(place, ({ createdAt }) => createdAt <= latest);
      }
    }
    const oldest = places
      .flatMap(([place, owned]) => [...owned].map(([id, kept]) => ({ place, id, kept })))
      .toSorted((one, other) => newestOf(one.kept) - newestOf(other.kept));
    let bytes = oldest.reduce((sum, { kept }) => sum + kept.bytes.length, 0);
    for (const { place, id, kept } of oldest) {
      if (bytes <= (maxTotalBytes ?? bytes)) {
        break;
      }
      bytes -= kept.bytes.length;
      gone += this.#drop(place, (summary) => summary.id === id);
    }
    return gone;
  }

  /** Removes records, and the artifacts that have none then. @returns how many artifacts. */
  #drop(place: string, which: (summary: ArtifactSummary) => boolean): number {
    const owned = this.#owners.get(place) ?? new Map<string, Kept>();
    let gone = 0;
    for (const [id, { summaries, bytes }] of [...owned]) {
      for (const [runId, summary] of [...summaries]) {
        if (which(summary)) {
          summaries.delete(runId);
        }
      }
      if (summaries.size === 0) {
        owned.delete(id);
        this.#bytes -= bytes.length;
        gone += 1;
      }
    }
    return gone;
  }

  #owned(owner: ArtifactOwner): Map<string, Kept> {
    const place = placeOf(owner);
    const owned = this.#owners.get(place) ?? new Map<string, Kept>();
    this.#owners.set(place, owned);
    return owned;
  }

  #add(owned: Map<string, Kept>, id: string, bytes: Uint8Array<ArrayBuffer>): Kept {
    const { maxTotalBytes } = this.#options;
    if (this.#bytes + bytes.length > maxTotalBytes) {
      throw new ArtifactError(
        `The store of artifacts is full: it takes ${maxTotalBytes} bytes in all (maxTotalBytes).`,
        { code: "artifact-too-large" },
      );
    }
    const kept: Kept = { bytes, summaries: new Map() };
    owned.set(id, kept);
    this.#bytes += bytes.length;
    return kept;
  }
}

const newestOf = ({ summaries }: Kept): number =>
  Math.max(...[...summaries.values()].map(({ createdAt }) => createdAt));

/** All artifacts of a place are one application's. */
const appOf = (owned: ReadonlyMap<string, Kept>): string | undefined =>
  [...owned.values()].flatMap(({ summaries }) => [...summaries.values()]).at(0)?.app;

const placeOf = ({ app, actor }: ArtifactOwner): string => JSON.stringify([app, actor ?? null]);

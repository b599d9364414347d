import { ArtifactError } from "../agent/artifact-error.ts";
import type {
  ArtifactContent,
  ArtifactFilter,
  ArtifactKey,
  ArtifactOwner,
  ArtifactPage,
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
  checkNewArtifact,
  defaultArtifactBytes,
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
      return known;
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

const placeOf = ({ app, actor }: ArtifactOwner): string => JSON.stringify([app, actor ?? null]);

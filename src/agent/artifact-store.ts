/** Whose artifacts are meant. */
export interface ArtifactOwner {
  /** The application that they belong to: several may share a store. */
  readonly app: string;
  /** Whose they are. Absent: those of runs without an actor, never everybody's. */
  readonly actor?: string;
}

/** Which artifact is meant. */
export interface ArtifactKey extends ArtifactOwner {
  /** `sha256-` and 64 hexadecimal digits. */
  readonly id: string;
}

/** Where an artifact comes from and what it is. */
interface ArtifactFacts extends ArtifactOwner {
  readonly runId: string;
  /** The id of the conversation that holds it. Absent: its run holds it alone. */
  readonly session?: string;
  readonly toolCallId?: string;
  /** A MIME type. */
  readonly mediaType: string;
  /** A file name to show. A server may have chosen it: it is no path. */
  readonly name?: string;
}

/** An artifact that is to be kept. */
export interface NewArtifact extends ArtifactFacts {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** An artifact without its bytes. */
export interface ArtifactSummary extends ArtifactFacts {
  readonly id: string;
  /** In bytes. */
  readonly size: number;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

/** An artifact with its bytes. */
export interface ArtifactContent extends ArtifactSummary {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Which artifacts to list. */
export interface ArtifactFilter extends ArtifactOwner {
  readonly runId?: string;
  readonly session?: string;
  /** How many at most: 1 to 1000, default 100. */
  readonly limit?: number;
  /** `next` of the page before. */
  readonly after?: string;
}

/** Some of the artifacts that were asked for. */
export interface ArtifactPage {
  readonly artifacts: readonly ArtifactSummary[];
  /** Where the next page begins; absent on the last. Opaque. */
  readonly next?: string;
}

/**
 * Who holds artifacts of an owner: a session, which holds what names it; a run, which holds what it has
 * given and names no session; or the owner, who holds all.
 */
export type ArtifactHolder =
  | { readonly kind: "session" | "run"; readonly id: string }
  | { readonly kind: "owner" };

/** Which artifacts of an application, whosever, are not to be kept any longer. */
export interface ArtifactRetention {
  readonly app: string;
  /** Those that no run has given for so long, in milliseconds. Absent: of any age. */
  readonly olderThanMs?: number;
  /** The oldest beyond so many bytes of all together. Absent: of any size. */
  readonly maxTotalBytes?: number;
}

/**
 * Keeps the files that runs produce. Adapters are in `dragoman/stores`.
 *
 * - **By content.** The id is made of the bytes: equal bytes of one owner are kept once, and what an id
 *   names never changes.
 * - **Held.** Each run that gives an artifact makes a record of it. A record is held by its session where
 *   it names one, else by its run; the bytes go with their last record.
 * - **Private.** A key or filter reaches its owner's artifacts and no others, equal bytes or not.
 * - **Whole.** A reader gets all bytes or none; what was acknowledged survives `kill -9`, where a store
 *   outlives its process.
 *
 * All methods reject with `ArtifactError`.
 */
export interface ArtifactStore {
  /**
   * Keeps an artifact. A second time for the same owner, run and bytes does nothing, save that a record
   * without a session gets the one that is named now.
   *
   * @throws ArtifactError `artifact-too-large` where the store takes no such size.
   */
  put(artifact: NewArtifact): Promise<ArtifactSummary>;
  /** @returns `undefined` where its owner has none of that id. */
  get(key: ArtifactKey): Promise<ArtifactContent | undefined>;
  /** The newest first; one that several runs gave stands there once for each of them. */
  list(filter: ArtifactFilter): Promise<ArtifactPage>;
  /** Removes it, for all runs and sessions of its owner. @returns whether there was one. */
  delete(key: ArtifactKey): Promise<boolean>;
  /** Removes what somebody holds. @returns how many artifacts nobody holds any more, and are gone. */
  release(owner: ArtifactOwner, holder: ArtifactHolder): Promise<number>;
  /**
   * Removes what has been kept long enough, whoever holds it. A run or a session that is still wanted
   * then misses it, so let the age be greater than theirs.
   *
   * @returns how many artifacts are gone.
   */
  prune(retention: ArtifactRetention): Promise<number>;
}

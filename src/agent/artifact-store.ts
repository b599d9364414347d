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
  /** The id of the conversation that the run belongs to. */
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
 * Keeps the files that runs produce. Adapters are in `dragoman/stores`.
 *
 * - **By content.** The id is made of the bytes: equal bytes of one owner are kept once, and what an id
 *   names never changes.
 * - **Private.** A key or filter reaches its owner's artifacts and no others, equal bytes or not.
 * - **Whole.** A reader gets all bytes or none; what was acknowledged survives `kill -9`, where a store
 *   outlives its process.
 *
 * All methods reject with `ArtifactError`.
 */
export interface ArtifactStore {
  /**
   * Keeps an artifact; a second time for the same owner, run and bytes does nothing.
   *
   * @throws ArtifactError `artifact-too-large` where the store takes no such size.
   */
  put(artifact: NewArtifact): Promise<ArtifactSummary>;
  /** @returns `undefined` where its owner has none of that id. */
  get(key: ArtifactKey): Promise<ArtifactContent | undefined>;
  /** The newest first; one that several runs gave stands there once for each of them. */
  list(filter: ArtifactFilter): Promise<ArtifactPage>;
  /** Removes it, for all runs of its owner. @returns whether there was one. */
  delete(key: ArtifactKey): Promise<boolean>;
}

import { checkNumbers } from "../base/check-numbers.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import type { DeferredArtifact } from "../tool/artifact.ts";
import type { Binding } from "../tool/binding.ts";
import type { ArtifactStore } from "./artifact-store.ts";

/** What a resolver may know and must keep to. */
export interface ResolveScope {
  /** Who runs: the resolver checks that the bytes are theirs, and gets credentials here. */
  readonly binding: Binding;
  /** More bytes than this are refused: a resolver should stop reading there. */
  readonly maxBytes: number;
  /** When it must have ended, in milliseconds since the Unix epoch. */
  readonly deadline: number;
  /** Aborts at the deadline, or when nobody waits any more. */
  readonly signal: AbortSignal;
}

/**
 * Fetches the bytes of a deferred artifact. It is the application's and decides alone: whether this
 * actor may have them, whether the reference is of a service that it knows (a server may have chosen
 * it), and how much it reads. `undefined` means that there is nothing of the kind for this actor.
 */
export type ArtifactResolver = (
  artifact: DeferredArtifact,
  scope: ResolveScope,
) => Promise<Uint8Array | undefined>;

/** How artifacts are kept and fetched. */
export interface ArtifactSettings {
  /** Where they are kept: `memoryArtifacts`, `fileArtifacts` of `dragoman/stores`. Absent: in the run. */
  readonly store?: ArtifactStore;
  /**
   * Fetches deferred artifacts, all of them. Absent: a server is asked for what its own results named,
   * while the run goes on; of other artifacts only the reference is had.
   */
  readonly resolve?: ArtifactResolver;
  /** How long the store and the resolver may take for one artifact, in milliseconds. Default 30 000. */
  readonly timeoutMs?: number;
  /** The largest artifact, in bytes. Default 32 MiB. */
  readonly maxBytes?: number;
  /** All artifacts of a run together, in bytes. Default 64 MiB. */
  readonly maxRunBytes?: number;
  /** How many artifacts of a run are kept. Default 100. */
  readonly maxRunArtifacts?: number;
}

const mebibyte = 1024 * 1024;

/** The limits of artifacts, defaults filled in. */
export type ArtifactLimits = Readonly<
  Record<"timeoutMs" | "maxBytes" | "maxRunBytes" | "maxRunArtifacts", number>
>;

const defaultLimits: ArtifactLimits = {
  timeoutMs: 30_000,
  maxBytes: 32 * mebibyte,
  maxRunBytes: 64 * mebibyte,
  maxRunArtifacts: 100,
};

const limitRules = {
  timeoutMs: "milliseconds",
  maxBytes: "bytes",
  maxRunBytes: "bytes",
  maxRunArtifacts: "count",
} as const;

/** @throws ConfigurationError where a limit is no whole number above 0, or a part is not what it must be. */
export function artifactLimits(settings: ArtifactSettings = {}): ArtifactLimits {
  const { store, resolve, ...limits } = settings;
  if (store !== undefined && typeof store.put !== "function") {
    throw invalid("The store of artifacts must be an ArtifactStore, as those of dragoman/stores.");
  }
  if (resolve !== undefined && typeof resolve !== "function") {
    throw invalid("The resolver of artifacts must be a function.");
  }
  const allowed = ["store", "resolve", ...Object.keys(defaultLimits)];
  for (const key of Object.keys(limits)) {
    if (!allowed.includes(key)) {
      throw invalid(`Unknown property "${key}" of artifacts. Allowed are: ${allowed.join(", ")}.`);
    }
  }
  checkNumbers(settings, limitRules, { where: "of artifacts" });
  return { ...defaultLimits, ...limits };
}

const invalid = (message: string): ConfigurationError =>
  new ConfigurationError(message, { code: "invalid-configuration" });

import { untilAborted } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import { ConfigurationError, messageOf } from "../base/dragoman-error.ts";
import { startTimeLimit } from "../base/time-limit.ts";
import type { DeferredArtifact } from "../tool/artifact.ts";
import type { Binding } from "../tool/binding.ts";
import type { OpenToolset } from "../tool/toolset.ts";
import { ArtifactError } from "./artifact-error.ts";
import type { ArtifactLimits, ArtifactResolver } from "./artifact-settings.ts";

/** Asks the server that named a reference for its bytes. */
export type FetchFromServer = NonNullable<OpenToolset["fetch"]>;

/** What deferred artifacts are fetched with. */
export interface ArtifactFetcherOptions {
  /** The application's. */
  readonly resolve: ArtifactResolver | undefined;
  /** What fetches the references that a server's results named, while the server is open. */
  readonly fetchFrom: (server: string) => FetchFromServer | undefined;
  readonly limits: ArtifactLimits;
  readonly binding: Binding;
  readonly clock: Clock;
}

/** Fetches the bytes of deferred artifacts, within limits of size and time. */
export class ArtifactFetcher {
  readonly #options: ArtifactFetcherOptions;

  constructor(options: ArtifactFetcherOptions) {
    this.#options = options;
  }

  /** Whether there is somebody to ask. */
  canFetch(artifact: DeferredArtifact): boolean {
    return this.#resolverFor(artifact) !== undefined;
  }

  /** @throws ArtifactError; a ConfigurationError of the resolver; the signal's reason. */
  async fetch(artifact: DeferredArtifact, outer: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    const { binding, limits } = this.#options;
    const { maxBytes } = limits;
    const what = `The artifact ${JSON.stringify(artifact.name ?? artifact.mediaType)}`;
    const resolve = this.#resolverFor(artifact);
    if (resolve === undefined) {
      const message = `${what} is elsewhere, and nobody can fetch it: its server is closed or was none, and there is no configure({ artifacts: { resolve } }).`;
      throw new ArtifactError(message, { code: "artifact-unresolved" });
    }
    refuseOversize(what, artifact.size ?? 0, maxBytes);
    let bytes: Uint8Array | undefined;
    try {
      bytes = await this.inTime(outer, async (signal, deadline) =>
        resolve(artifact, { binding, maxBytes, deadline, signal }),
      );
    } catch (cause) {
      outer.throwIfAborted();
      if (ConfigurationError.is(cause) || ArtifactError.is(cause)) {
        throw cause;
      }
      const message = `${what} could not be fetched: ${messageOf(cause)}`;
      throw new ArtifactError(message, { code: "artifact-unresolved", cause });
    }
    if (!(bytes instanceof Uint8Array)) {
      throw new ArtifactError(`${what} is not to be had.`, { code: "artifact-not-found" });
    }
    refuseOversize(what, bytes.length, maxBytes);
    return new Uint8Array(bytes); // the resolver's buffer may be reused, or shared
  }

  /** The application's resolver decides alone; without one, a server is asked for what it named itself. */
  #resolverFor({ server }: DeferredArtifact): ArtifactResolver | undefined {
    const { resolve, fetchFrom } = this.#options;
    const fetch = server === undefined ? undefined : fetchFrom(server);
    return resolve ?? (fetch && (({ reference }, { signal }) => fetch(reference, { signal })));
  }

  /** Does work of the application's within the time that artifacts have, and the run's. */
  async inTime<Value>(
    outer: AbortSignal,
    work: (signal: AbortSignal, deadline: number) => Promise<Value>,
  ): Promise<Value> {
    const { clock, binding, limits } = this.#options;
    const { timeoutMs } = limits;
    const { signal, stop } = startTimeLimit(clock, outer, timeoutMs, () => {
      const message = `It took longer than timeoutMs of artifacts (${timeoutMs}).`;
      return new ArtifactError(message, { code: "artifact-unresolved" });
    });
    const deadline = Math.min(
      clock.now() + timeoutMs,
      binding.deadline ?? Number.POSITIVE_INFINITY,
    );
    try {
      signal.throwIfAborted();
      return await untilAborted(work(signal, deadline), signal);
    } finally {
      stop();
    }
  }
}

function refuseOversize(what: string, size: number, maxBytes: number): void {
  if (size > maxBytes) {
    throw new ArtifactError(
      `${what} has ${size} bytes, more than maxBytes of artifacts (${maxBytes}).`,
      { code: "artifact-too-large" },
    );
  }
}

import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/dragoman-error.ts";
import type { Logger } from "../base/logger.ts";
import { sha256 } from "../base/sha256.ts";
import type { ActiveSpan } from "../base/tracing.ts";
import type { ArtifactLabel, DeferredArtifact, StoredArtifact } from "../tool/artifact.ts";
import type { Binding } from "../tool/binding.ts";
import { ArtifactError } from "./artifact-error.ts";
import { ArtifactFetcher, type FetchFromServer } from "./artifact-fetcher.ts";
import { type ArtifactLimits, type ArtifactSettings, artifactLimits } from "./artifact-settings.ts";
import type { RunEventBody } from "./run-event.ts";

/** A file that a run's tools gave. */
export interface RunArtifact {
  /** `sha256-…` of the bytes; `ref-…` where they are elsewhere. Unique within the run. */
  readonly id: string;
  readonly mediaType: string;
  /** A file name to show. A server may have chosen it: it is no path. */
  readonly name?: string;
  /** In bytes, where it is known. */
  readonly size?: number;
  /** Where the bytes of a deferred artifact are, as the application or the server named it. */
  readonly reference?: string;
  /** The MCP server that named the reference. */
  readonly server?: string;
  /** The call whose result it came with first. */
  readonly toolCallId: string;
  /**
   * Its bytes: kept in the run or its store, or fetched by the resolver.
   *
   * @throws ArtifactError
   */
  read(options?: { readonly signal?: AbortSignal }): Promise<Uint8Array<ArrayBuffer>>;
}

/** What a run's artifacts are kept with. */
export interface RunArtifactsOptions {
  readonly settings: ArtifactSettings | undefined;
  readonly app: string;
  /** The id of the run's session. */
  readonly session: string | undefined;
  readonly binding: Binding;
  readonly clock: Clock;
  readonly logger: Logger;
  /** What fetches the references that a server's results named, while the server is open. */
  readonly fetchFrom: (server: string) => FetchFromServer | undefined;
  emit(event: RunEventBody): void;
  /** What artifacts come up in, where somebody traces. */
  readonly span?: ActiveSpan | undefined;
}

/** Bytes and what they are. */
export interface ReadArtifact extends ArtifactLabel {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

interface Entry {
  readonly id: string;
  readonly artifact: StoredArtifact | DeferredArtifact;
  readonly toolCallId: string;
  /** Absent once a store has them. */
  bytes: Uint8Array<ArrayBuffer> | undefined;
}

/** The artifacts of one run: equal bytes are kept, stored and reported once. */
export class RunArtifacts {
  readonly #options: RunArtifactsOptions;
  readonly #limits: ArtifactLimits;
  readonly #fetcher: ArtifactFetcher;
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  /** The deferred artifact that was read last: whoever reads a part of it reads the next one, too. */
  #resolved: { readonly id: string; readonly bytes: Uint8Array<ArrayBuffer> } | undefined;

  constructor(options: RunArtifactsOptions) {
    this.#options = options;
    this.#limits = artifactLimits(options.settings);
    const { settings, fetchFrom, binding, clock } = options;
    const { resolve } = settings ?? {};
    this.#fetcher = new ArtifactFetcher({
      resolve,
      fetchFrom,
      limits: this.#limits,
      binding,
      clock,
    });
  }

  /** Whether the application has said how artifacts are kept or fetched. */
  get configured(): boolean {
    return this.#options.settings !== undefined;
  }

  /** Whether somebody can fetch the bytes of a deferred artifact. */
  canFetch(artifact: DeferredArtifact): boolean {
    return this.#fetcher.canFetch(artifact);
  }

  /** All of them, in the order in which they came. */
  get all(): readonly RunArtifact[] {
    return [...this.#entries.values()].map(({ id, artifact, toolCallId }) => {
      const { kind: _, ...facts } = artifact;
      return {
        ...facts,
        id,
        toolCallId,
        read: async ({ signal } = {}) => (await this.read(id, signal)).bytes,
      };
    });
  }

  /**
   * Keeps bytes. A store that fails is a notice, and the run keeps them itself.
   *
   * @returns `undefined` where a limit is passed, which is a notice, too.
   * @throws the signal's reason of the run.
   */
  async keep(
    bytes: Uint8Array<ArrayBuffer>,
    { mediaType, name }: ArtifactLabel,
    toolCallId: string,
  ): Promise<StoredArtifact | undefined> {
    const id = `sha256-${await sha256(bytes)}`;
    const known = this.#entries.get(id);
    if (known?.artifact.kind === "stored") {
      return known.artifact;
    }
    const excess = this.#excess(bytes.length);
    if (excess !== undefined) {
      this.#notice("artifact-not-kept", `A file of ${bytes.length} bytes is not kept: ${excess}.`);
      return undefined;
    }
    this.#bytes += bytes.length;
    const label = { mediaType, ...(name === undefined ? {} : { name }) };
    const artifact: StoredArtifact = { kind: "stored", id, ...label, size: bytes.length };
    const entry: Entry = { id, artifact, toolCallId, bytes };
    this.#entries.set(id, entry);
    await this.#store(entry, bytes);
    this.#report(entry);
    return artifact;
  }

  /** Takes note of bytes that are elsewhere. @returns the id of the artifact, if there is room for it. */
  async refer(artifact: DeferredArtifact, toolCallId: string): Promise<string | undefined> {
    const origin = JSON.stringify([artifact.server ?? null, artifact.reference]);
    const id = `ref-${await sha256(new TextEncoder().encode(origin))}`;
    if (!this.#entries.has(id)) {
      const excess = this.#excess(0);
      if (excess !== undefined) {
        this.#notice("artifact-not-kept", `A file that is elsewhere is not noted: ${excess}.`);
        return undefined;
      }
      const entry: Entry = { id, artifact, toolCallId, bytes: undefined };
      this.#entries.set(id, entry);
      this.#report(entry);
    }
    return id;
  }

  /** The bytes of an artifact of this run, or of this owner's in the store. @throws ArtifactError */
  async read(
    id: string,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<ReadArtifact> {
    const entry = this.#entries.get(id);
    if (entry?.bytes !== undefined) {
      return { ...labelOf(entry.artifact), bytes: entry.bytes };
    }
    if (entry?.artifact.kind === "deferred") {
      const cached = this.#resolved?.id === id ? this.#resolved.bytes : undefined;
      const bytes = cached ?? (await this.#fetcher.fetch(entry.artifact, signal));
      this.#resolved = { id, bytes };
      return { ...labelOf(entry.artifact), bytes };
    }
    const { settings, app } = this.#options;
    const key = { app, ...this.#actor, id };
    const found = await this.#fetcher.inTime(signal, async () => settings?.store?.get(key));
    if (found === undefined) {
      throw new ArtifactError(`There is no artifact ${JSON.stringify(id)}.`, {
        code: "artifact-not-found",
      });
    }
    return { ...labelOf(found), bytes: found.bytes };
  }

  get #actor(): { readonly actor?: string } {
    const { actor } = this.#options.binding.run;
    return actor === undefined ? {} : { actor };
  }

  #excess(bytes: number): string | undefined {
    const { maxBytes, maxRunBytes, maxRunArtifacts } = this.#limits;
    if (bytes > maxBytes) {
      return `it is larger than maxBytes of artifacts (${maxBytes})`;
    }
    if (this.#entries.size >= maxRunArtifacts) {
      return `the run has maxRunArtifacts of them (${maxRunArtifacts})`;
    }
    return this.#bytes + bytes > maxRunBytes
      ? `all of the run together are larger than maxRunBytes of artifacts (${maxRunBytes})`
      : undefined;
  }

  async #store(entry: Entry, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const { settings, app, session, binding, logger } = this.#options;
    const store = settings?.store;
    if (store === undefined) {
      return;
    }
    try {
      await this.#fetcher.inTime(binding.signal, () =>
        store.put({
          app,
          ...this.#actor,
          runId: binding.run.id,
          ...(session === undefined ? {} : { session }),
          toolCallId: entry.toolCallId,
          ...labelOf(entry.artifact),
          bytes,
        }),
      );
      entry.bytes = undefined;
    } catch (thrown) {
      binding.signal.throwIfAborted();
      const message = `Artifact ${entry.id} could not be stored, and is had as long as the run's result: ${messageOf(thrown)}`;
      this.#notice("artifact-not-stored", message);
      logger.warn(message);
    }
  }

  #report({ id, artifact, toolCallId }: Entry): void {
    const { size } = artifact;
    this.#options.span?.event({ kind: "artifact", of: artifact.kind, size });
    this.#options.emit({
      kind: "artifact-create",
      id,
      ...labelOf(artifact),
      ...(size === undefined ? {} : { size }),
      ...(artifact.kind === "deferred" ? { reference: artifact.reference } : {}),
      toolCallId,
    });
  }

  #notice(code: string, message: string): void {
    this.#options.emit({ kind: "notice", code, message });
  }
}

const labelOf = ({ mediaType, name }: ArtifactLabel): ArtifactLabel => ({
  mediaType,
  ...(name === undefined ? {} : { name }),
});

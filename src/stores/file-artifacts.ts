import { readdir } from "node:fs/promises";
import { join } from "node:path";
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
import { messageOf } from "../base/dragoman-error.ts";
import { ArtifactFolder, digestOf } from "./artifact-folder.ts";
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
import { ifThere } from "./private-files.ts";

/** Options of {@link fileArtifacts}. */
export interface FileArtifactsOptions extends ArtifactStoreLimits {
  /** Where the files are. It is made where it does not exist, for this user alone. */
  readonly folder: string;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
}

/**
 * Artifacts as files, which any number of processes may share. Every owner has a folder of their own;
 * the names of files are digests, so that nothing that a server or a user wrote becomes a path. A file
 * is written aside and renamed, and so is there whole or not at all.
 *
 * `prune` also removes what writes that were killed have left behind, once it is an hour old.
 */
export function fileArtifacts(options: FileArtifactsOptions): ArtifactStore {
  return new FileArtifacts(options);
}

class FileArtifacts implements ArtifactStore {
  readonly #folder: string;
  readonly #maxArtifactBytes: number;
  readonly #clock: Clock;

  constructor({ folder, maxArtifactBytes = defaultArtifactBytes, clock }: FileArtifactsOptions) {
    const place = { where: "of fileArtifacts" };
    checkNumbers({ maxArtifactBytes }, { maxArtifactBytes: "bytes" }, place);
    this.#folder = folder;
    this.#maxArtifactBytes = maxArtifactBytes;
    this.#clock = clock ?? systemClock;
  }

  async put(artifact: NewArtifact): Promise<ArtifactSummary> {
    checkNewArtifact(artifact, this.#maxArtifactBytes);
    const { bytes } = artifact;
    const id = `sha256-${digestOf(bytes)}`;
    const summary = toSummary(artifact, { id, createdAt: this.#clock.now() });
    return this.#attempt("put", () => this.#folderOf(artifact).put(summary, bytes));
  }

  async get(key: ArtifactKey): Promise<ArtifactContent | undefined> {
    if (!checkArtifactKey(key)) {
      return undefined;
    }
    return this.#attempt("get", async () => {
      const folder = this.#folderOf(key);
      const [summary] = (await folder.records(key.id)).toSorted(
        (left, right) => right.createdAt - left.createdAt,
      );
      const found = summary && (await folder.bytes(key.id));
      if (found?.isWhole === false) {
        throw failed(`The bytes of artifact ${key.id} are not what was stored.`);
      }
      return summary && found && { ...summary, bytes: new Uint8Array(found.read) };
    });
  }

  async list(filter: ArtifactFilter): Promise<ArtifactPage> {
    const size = checkArtifactFilter(filter);
    const owned = await this.#attempt("list", () => this.#folderOf(filter).records());
    return toArtifactPage(owned, filter, size);
  }

  async delete(key: ArtifactKey): Promise<boolean> {
    return checkArtifactKey(key)
      ? this.#attempt("delete", () => this.#folderOf(key).delete(key.id))
      : false;
  }

  async release(owner: ArtifactOwner, holder: ArtifactHolder): Promise<number> {
    checkHolder(owner, holder);
    return this.#attempt("release", () =>
      this.#folderOf(owner).drop((record) => isHeldBy(record, holder)),
    );
  }

  async prune(retention: ArtifactRetention): Promise<number> {
    checkRetention(retention);
    return this.#attempt("prune", async () => {
      const now = this.#clock.now();
      const names = (await ifThere(readdir(this.#folder))) ?? [];
      const folders = names
        .filter((name) => /^[0-9a-f]{64}$/.test(name))
        .map((name) => new ArtifactFolder(join(this.#folder, name)));
      const gone = await pruneFolders(folders, retention, now);
      for (const folder of folders) {
        await folder.sweep(now);
      }
      return gone;
    });
  }

  #folderOf({ app, actor }: ArtifactOwner): ArtifactFolder {
    return new ArtifactFolder(join(this.#folder, digestOf(JSON.stringify([app, actor ?? null]))));
  }

  async #attempt<Value>(what: string, work: () => Promise<Value>): Promise<Value> {
    try {
      return await work();
    } catch (cause) {
      throw ArtifactError.is(cause)
        ? cause
        : failed(
            `The store of artifacts in ${this.#folder} failed to ${what}: ${messageOf(cause)}`,
            cause,
          );
    }
  }
}

/** By age, then by size. @returns how many artifacts are gone. */
async function pruneFolders(
  folders: readonly ArtifactFolder[],
  { app, olderThanMs, maxTotalBytes }: ArtifactRetention,
  now: number,
): Promise<number> {
  let gone = 0;
  if (olderThanMs !== undefined) {
    for (const folder of folders) {
      gone += await folder.drop(
        (record) => record.app === app && record.createdAt <= now - olderThanMs,
      );
    }
  }
  if (maxTotalBytes !== undefined) {
    for (const { folder, id, newest } of await beyond(folders, app, maxTotalBytes)) {
      gone += await folder.drop((record) => record.id === id && record.createdAt <= newest);
    }
  }
  return gone;
}

interface FolderArtifact {
  readonly folder: ArtifactFolder;
  readonly id: string;
  readonly size: number;
  readonly newest: number;
}

/** The oldest artifacts of an application, without which the others have no more than so many bytes. */
async function beyond(
  folders: readonly ArtifactFolder[],
  app: string,
  maxTotalBytes: number,
): Promise<readonly FolderArtifact[]> {
  const found: FolderArtifact[] = [];
  for (const folder of folders) {
    const byId = new Map<string, FolderArtifact>();
    for (const record of await folder.records()) {
      const { id, size, createdAt } = record;
      if (record.app === app) {
        const newest = Math.max(createdAt, byId.get(id)?.newest ?? 0);
        byId.set(id, { folder, id, size, newest });
      }
    }
    found.push(...byId.values());
  }
  let total = 0;
  return found
    .toSorted((one, other) => other.newest - one.newest)
    .filter(({ size }) => {
      total += size;
      return total > maxTotalBytes;
    });
}

const failed = (message: string, cause?: unknown): ArtifactError =>
  new ArtifactError(message, { code: "artifact-store-failed", cause });

import { createHash, randomUUID } from "node:crypto";
import { access, mkdir, open, readdir, readFile, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
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
import { messageOf } from "../base/dragoman-error.ts";
import { isJsonObject, parseJson } from "../base/json.ts";
import { whenFree } from "../base/when-free.ts";
import {
  type ArtifactStoreLimits,
  checkArtifactFilter,
  checkArtifactKey,
  checkNewArtifact,
  defaultArtifactBytes,
  toArtifactPage,
  toSummary,
} from "./artifact-record.ts";

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
 */
export function fileArtifacts(options: FileArtifactsOptions): ArtifactStore {
  return new FileArtifacts(options);
}

/**
 * `<owner>/<id>.bytes` beside one `<owner>/<id>.<run>.json` for each run. The bytes are written before
 * and checked after the JSON, and deleted before it: whoever puts while another deletes either writes
 * them again or has put before.
 */
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
    const { bytes, runId } = artifact;
    const id = `sha256-${digestOf(bytes)}`;
    const folder = this.#folderOf(artifact);
    const content = join(folder, `${id}.bytes`);
    const record = join(folder, `${id}.${digestOf(runId)}.json`);
    return this.#attempt("put", async () => {
      const known = toRecord(await readIfThere(record));
      if (known !== undefined && (await isThere(content))) {
        return known;
      }
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const summary = toSummary(artifact, { id, createdAt: this.#clock.now() });
      await writeIfMissing(content, bytes);
      await replaceFile(record, JSON.stringify(summary));
      await writeIfMissing(content, bytes);
      return summary;
    });
  }

  async get(key: ArtifactKey): Promise<ArtifactContent | undefined> {
    if (!checkArtifactKey(key)) {
      return undefined;
    }
    return this.#attempt("get", async () => {
      const folder = this.#folderOf(key);
      const [summary] = (await this.#summaries(folder, key.id)).toSorted(
        (left, right) => right.createdAt - left.createdAt,
      );
      const read = await readIfThere(join(folder, `${key.id}.bytes`));
      if (summary === undefined || read === undefined) {
        return undefined;
      }
      const bytes = new Uint8Array(read);
      if (`sha256-${digestOf(bytes)}` !== key.id) {
        throw failed(`The bytes of artifact ${key.id} are not what was stored.`);
      }
      return { ...summary, bytes };
    });
  }

  async list(filter: ArtifactFilter): Promise<ArtifactPage> {
    const size = checkArtifactFilter(filter);
    const owned = await this.#attempt("list", () => this.#summaries(this.#folderOf(filter), ""));
    return toArtifactPage(owned, filter, size);
  }

  async delete(key: ArtifactKey): Promise<boolean> {
    if (!checkArtifactKey(key)) {
      return false;
    }
    return this.#attempt("delete", async () => {
      const folder = this.#folderOf(key);
      const existed = await removeIfThere(join(folder, `${key.id}.bytes`));
      for (const name of await recordsIn(folder, key.id)) {
        await removeIfThere(join(folder, name));
      }
      return existed;
    });
  }

  #folderOf({ app, actor }: ArtifactOwner): string {
    return join(this.#folder, digestOf(JSON.stringify([app, actor ?? null])));
  }

  async #summaries(folder: string, id: string): Promise<readonly ArtifactSummary[]> {
    const names = await recordsIn(folder, id);
    const summaries: ArtifactSummary[] = [];
    for (const name of names) {
      const summary = toRecord(await readIfThere(join(folder, name)));
      summaries.push(...(summary === undefined ? [] : [summary]));
    }
    return summaries;
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

const failed = (message: string, cause?: unknown): ArtifactError =>
  new ArtifactError(message, { code: "artifact-store-failed", cause });

const digestOf = (data: Uint8Array | string): string =>
  createHash("sha256").update(data).digest("hex");

/** Only this store writes here; a file that is not JSON was damaged and counts as absent. */
function toRecord(text: Buffer | undefined): ArtifactSummary | undefined {
  const record = text === undefined ? undefined : parseJson(text.toString("utf8"));
  return isJsonObject(record) && typeof record["createdAt"] === "number"
    ? (record as unknown as ArtifactSummary) // written by put
    : undefined;
}

async function recordsIn(folder: string, id: string): Promise<readonly string[]> {
  const names = (await ifThere(readdir(folder))) ?? [];
  return names.filter((name) => name.startsWith(id) && name.endsWith(".json"));
}

const readIfThere = (path: string): Promise<Buffer | undefined> => ifThere(readFile(path));

const isThere = async (path: string): Promise<boolean> =>
  (await ifThere(access(path).then(() => true))) ?? false;

const removeIfThere = async (path: string): Promise<boolean> =>
  (await ifThere(unlink(path).then(() => true))) ?? false;

async function ifThere<Value>(attempt: Promise<Value>): Promise<Value | undefined> {
  try {
    return await attempt;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") {
      return undefined;
    }
    throw error;
  }
}

async function writeIfMissing(path: string, bytes: Uint8Array): Promise<void> {
  if (!(await isThere(path))) {
    await replaceFile(path, bytes);
  }
}

async function replaceFile(path: string, content: Uint8Array | string): Promise<void> {
  const aside = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(aside, "wx", 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await whenFree(() => rename(aside, path), { platform: process.platform, clock: systemClock });
  } catch (error) {
    await removeIfThere(aside);
    throw error;
  }
}

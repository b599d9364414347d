import { createHash } from "node:crypto";
import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ArtifactSummary } from "../agent/artifact-store.ts";
import { isJsonObject, parseJson } from "../base/json.ts";
import {
  asideOf,
  asideSuffix,
  ifThere,
  isNotThere,
  isThere,
  readIfThere,
  removeIfEmpty,
  removeIfThere,
  renameIfThere,
  replaceFile,
} from "./private-files.ts";

/** How long what an interrupted write left behind is left alone: it may go on yet. In milliseconds. */
const leftoverMs = 60 * 60 * 1_000;

/** How often a write is tried again whose folder somebody has removed meanwhile, since it was empty. */
const longestChase = 20;

/**
 * The artifacts of one owner: `<id>.bytes` beside one `<id>.<run>.json` for each run.
 *
 * Bytes are written before and checked after the JSON. Whoever removes records of one artifact puts its
 * bytes aside, and puts them back where a record has come meanwhile: so whoever puts while another
 * removes either finds them missing and writes them again, or has made the record that brings them back.
 */
export class ArtifactFolder {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async put(summary: ArtifactSummary, bytes: Uint8Array): Promise<ArtifactSummary> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#put(summary, bytes);
      } catch (error) {
        if (!isNotThere(error) || tries === longestChase) {
          throw error;
        }
      }
    }
  }

  async #put(summary: ArtifactSummary, bytes: Uint8Array): Promise<ArtifactSummary> {
    const record = join(this.#path, `${summary.id}.${digestOf(summary.runId)}.json`);
    const content = this.#bytesOf(summary.id);
    const known = toRecord(await readIfThere(record));
    const now = withSession(known ?? summary, summary.session);
    if (now === known && (await isThere(content))) {
      return known;
    }
    await mkdir(this.#path, { recursive: true, mode: 0o700 });
    await writeIfMissing(content, bytes);
    await replaceFile(record, JSON.stringify(now));
    await writeIfMissing(content, bytes);
    return now;
  }

  /** All records, or those of one artifact. */
  async records(id = ""): Promise<readonly ArtifactSummary[]> {
    const summaries: ArtifactSummary[] = [];
    for (const name of await this.#names(id, ".json")) {
      const summary = toRecord(await readIfThere(join(this.#path, name)));
      summaries.push(...(summary === undefined ? [] : [summary]));
    }
    return summaries;
  }

  /** The bytes of an artifact; `undefined` where it has none, or other ones. */
  async bytes(
    id: string,
  ): Promise<{ readonly read: Buffer; readonly isWhole: boolean } | undefined> {
    for (let tries = 0; tries < longestChase; tries += 1) {
      const read = await readIfThere(this.#bytesOf(id));
      if (read !== undefined) {
        return { read, isWhole: isContentOf(read, id) };
      }
      // Somebody may just look whether they are wanted any longer, or has died in doing so.
      const asides = await this.#names(`${id}.bytes.`, asideSuffix);
      for (const aside of asides) {
        const found = await readIfThere(join(this.#path, aside));
        if (found !== undefined && isContentOf(found, id)) {
          return { read: found, isWhole: true };
        }
      }
      if (asides.length === 0 && !(await isThere(this.#bytesOf(id)))) {
        return undefined;
      }
    }
    return undefined;
  }

  /** Removes an artifact with all its records. @returns whether there was one. */
  async delete(id: string): Promise<boolean> {
    const existed = await removeIfThere(this.#bytesOf(id));
    for (const name of await this.#names(id, ".json")) {
      await removeIfThere(join(this.#path, name));
    }
    await removeIfEmpty(this.#path);
    return existed;
  }

  /** Removes records, and the artifacts that have none then. @returns how many artifacts. */
  async drop(which: (record: ArtifactSummary) => boolean): Promise<number> {
    const ids = new Set<string>();
    for (const name of await this.#names("", ".json")) {
      const path = join(this.#path, name);
      const record = toRecord(await readIfThere(path));
      if (record !== undefined && which(record)) {
        await removeIfThere(path);
        ids.add(record.id);
      }
    }
    let gone = 0;
    for (const id of ids) {
      gone += (await this.#removeUnheld(id)) ? 1 : 0;
    }
    await removeIfEmpty(this.#path);
    return gone;
  }

  /** Removes what writes that broke off have left, and puts back what a removal that broke off put aside. */
  async sweep(now: number): Promise<void> {
    for (const name of await this.#names("", "")) {
      const path = join(this.#path, name);
      const modified = (await ifThere(stat(path)))?.mtimeMs ?? now;
      const [id = ""] = name.split(".");
      if (now - modified >= leftoverMs) {
        if (name.endsWith(asideSuffix)) {
          await this.#settleAside(path, id);
        } else if (name === `${id}.bytes`) {
          await this.#removeUnheld(id);
        } else if (!(await isThere(this.#bytesOf(id)))) {
          await removeIfThere(path); // a record without bytes, of a deletion that broke off
        }
      }
    }
    await removeIfEmpty(this.#path);
  }

  async #settleAside(path: string, id: string): Promise<void> {
    const isWanted =
      (await this.#isHeld(id)) &&
      !(await isThere(this.#bytesOf(id))) &&
      isContentOf((await readIfThere(path)) ?? new Uint8Array(), id);
    await (isWanted ? renameIfThere(path, this.#bytesOf(id)) : removeIfThere(path));
  }

  /** @returns whether its bytes are gone. */
  async #removeUnheld(id: string): Promise<boolean> {
    const bytes = this.#bytesOf(id);
    const aside = asideOf(bytes);
    if ((await this.#isHeld(id)) || !(await renameIfThere(bytes, aside))) {
      return false;
    }
    if (await this.#isHeld(id)) {
      await renameIfThere(aside, bytes);
      return false;
    }
    return removeIfThere(aside);
  }

  async #isHeld(id: string): Promise<boolean> {
    return (await this.#names(id, ".json")).length > 0;
  }

  #bytesOf(id: string): string {
    return join(this.#path, `${id}.bytes`);
  }

  async #names(prefix: string, suffix: string): Promise<readonly string[]> {
    const names = (await ifThere(readdir(this.#path))) ?? [];
    return names.filter((name) => name.startsWith(prefix) && name.endsWith(suffix));
  }
}

/** The hexadecimal SHA-256 of something. */
export const digestOf = (data: Uint8Array | string): string =>
  createHash("sha256").update(data).digest("hex");

const isContentOf = (bytes: Uint8Array, id: string): boolean => `sha256-${digestOf(bytes)}` === id;

function withSession(known: ArtifactSummary, session: string | undefined): ArtifactSummary {
  return known.session === undefined && session !== undefined ? { ...known, session } : known;
}

/** Only this store writes here; a file that is not JSON was damaged and counts as absent. */
function toRecord(text: Buffer | undefined): ArtifactSummary | undefined {
  const record = text === undefined ? undefined : parseJson(text.toString("utf8"));
  return isJsonObject(record) && typeof record["createdAt"] === "number"
    ? (record as unknown as ArtifactSummary) // written by put
    : undefined;
}

async function writeIfMissing(path: string, bytes: Uint8Array): Promise<void> {
  if (!(await isThere(path))) {
    await replaceFile(path, bytes);
  }
}

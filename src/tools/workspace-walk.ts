import type { Stats } from "node:fs";
import { lstat, mkdir, readdir, readlink } from "node:fs/promises";
import { didYouMean } from "../base/closest-name.ts";
import { isJsonObject } from "../base/json.ts";
import { changed } from "./file-reading.ts";
import type { FileIdentity, FolderOpener, OpenFolder } from "./open-folder.ts";
import type { Place } from "./place.ts";
import { WorkspaceError } from "./workspace-error.ts";
import { isPlainName, shownPath, workspacePlace } from "./workspace-path.ts";

/** A folder of this machine that a workspace shows under a name. */
export interface WorkspaceRoot {
  readonly name: string;
  /** Its real path. */
  readonly path: string;
  readonly writable: boolean;
  readonly identity: FileIdentity;
}

/** Where to walk. */
export interface Walk {
  readonly root: WorkspaceRoot;
  /** The names from the root on. */
  readonly segments: readonly string[];
  /** The path as it was asked for, for messages. */
  readonly path: string;
  readonly open: FolderOpener;
  /** Whether folders that are missing on the way are made. Default false. */
  readonly makeFolders?: boolean;
}

/** As many links as Linux follows in one path. */
const mostLinks = 40;

/**
 * Walks a path from its root, folder by folder, follows no link but by itself and none that leads out
 * of the root, and does `work` where it ends, while everything on the way is held open.
 *
 * @throws WorkspaceError, also for what the system throws.
 */
export async function walkTo<Result>(
  walk: Walk,
  work: (place: Place) => Promise<Result>,
): Promise<Result> {
  const walker = new Walker(walk);
  try {
    return await work(await walker.walk());
  } catch (error) {
    throw await walker.toWorkspaceError(error);
  } finally {
    await walker.close();
  }
}

class Walker {
  readonly #walk: Walk;
  /** From the root to where it is. */
  readonly #folders: OpenFolder[] = [];
  #name: string | undefined;
  #links = 0;

  constructor(walk: Walk) {
    this.#walk = walk;
  }

  async walk(): Promise<Place> {
    const { root, segments, open } = this.#walk;
    this.#folders.push(await open(root.path, root.identity));
    const ahead = [...segments];
    let found: Stats | undefined;
    for (let name = ahead.shift(); name !== undefined; name = ahead.shift()) {
      found = await this.#step(name, ahead);
    }
    return {
      folder: this.#here(),
      name: this.#name,
      stats: found,
      isIntact: async () =>
        (await Promise.all(this.#folders.map((folder) => folder.isSame()))).every(Boolean),
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#folders.splice(0).map((folder) => folder.close()));
  }

  /** What went wrong, without a path of this machine. Where nothing is there, what may have been meant. */
  async toWorkspaceError(error: unknown): Promise<unknown> {
    const { path } = this.#walk;
    const code = isJsonObject(error) ? error["code"] : undefined;
    if (WorkspaceError.is(error) || !(error instanceof Error) || typeof code !== "string") {
      return error;
    }
    const [fault, why] = systemFaults[code] ?? ["failed", `cannot be used (${code})`];
    const hint = fault === "not-found" ? await this.#similar() : "";
    return new WorkspaceError(`${shownPath(path)} ${why}.${hint}`, { fault, cause: error });
  }

  /** One name further; what stands behind a link is put before what is still to come. */
  async #step(name: string, ahead: string[]): Promise<Stats | undefined> {
    if (name === "..") {
      this.#name = undefined;
      await this.#leave();
      return undefined;
    }
    this.#checkName(name);
    this.#name = name;
    const at = this.#here().at(name);
    const stats = await lstat(at).catch(ifMissing);
    if (stats?.isSymbolicLink()) {
      this.#name = undefined;
      ahead.unshift(...(await this.#targetOf(at)));
      return undefined;
    }
    if (ahead.length === 0) {
      return stats;
    }
    if (stats === undefined) {
      await this.#makeFolder(at);
    }
    this.#folders.push(await this.#walk.open(at, stats));
    this.#name = undefined;
    return undefined;
  }

  async #makeFolder(at: string): Promise<void> {
    if (this.#walk.makeFolders !== true) {
      throw Object.assign(new Error("missing"), { code: "ENOENT" });
    }
    await mkdir(at).catch((error: unknown) => {
      if (!hasCode(error, "EEXIST")) {
        throw error;
      }
    });
  }

  async #leave(): Promise<void> {
    if (this.#folders.length < 2) {
      throw this.#outside("leads out of its root through a link");
    }
    await this.#folders.pop()?.close();
  }

  /** The names that a link stands for, from where it is or, after going back there, from the root. */
  async #targetOf(at: string): Promise<readonly string[]> {
    this.#links += 1;
    if (this.#links > mostLinks) {
      throw this.#outside("leads through too many links");
    }
    const target = await readlink(at).catch((error: unknown) => {
      throw hasCode(error, "EINVAL") ? changed(this.#walk.path) : error; // it is no link any more
    });
    const { root } = this.#walk;
    if (!target.startsWith("/") && !/^[a-z]:|^\\/i.test(target)) {
      return namesIn(target);
    }
    // A link may name its own root, by the path that it has here or in a sandbox.
    const base = [root.path, `${workspacePlace}/${root.name}`].find(
      (candidate) => target === candidate || target.startsWith(`${candidate}/`),
    );
    if (base === undefined) {
      throw this.#outside("leads out of its root through a link");
    }
    await Promise.all(this.#folders.splice(1).map((folder) => folder.close()));
    return namesIn(target.slice(base.length));
  }

  #here(): OpenFolder {
    const here = this.#folders.at(-1);
    if (here === undefined) {
      throw new Error("a walk begins at its root");
    }
    return here;
  }

  #checkName(name: string): void {
    if (!isPlainName(name, process.platform)) {
      throw this.#outside(`holds the name ${shownPath(name)}, which no file here can have`);
    }
  }

  async #similar(): Promise<string> {
    const names = await readdir(this.#folders.at(-1)?.self ?? "").catch(() => []);
    return this.#name === undefined ? "" : didYouMean(this.#name, names.slice(0, mostCompared));
  }

  #outside(why: string): WorkspaceError {
    return new WorkspaceError(`The path ${shownPath(this.#walk.path)} ${why}.`, {
      fault: "outside",
    });
  }
}

const mostCompared = 1_000;

/** What the system's codes mean here. */
const systemFaults: Readonly<
  Record<string, readonly [fault: WorkspaceError["fault"], why: string]>
> = {
  ENOENT: ["not-found", "does not exist"],
  ENOTDIR: ["wrong-kind", "leads through something that is no folder"],
  EISDIR: ["wrong-kind", "is a folder"],
  EEXIST: ["exists", "exists already"],
  ELOOP: ["changed", "was exchanged for a link while it was used"],
  ESTALE: ["changed", "lies in a folder that was exchanged for another"],
  ENXIO: ["wrong-kind", "is no file"],
  EACCES: ["failed", "cannot be used: the system does not permit it"],
  EPERM: ["failed", "cannot be used: the system does not permit it"],
  EROFS: ["read-only", "cannot be changed: it lies on a file system that can only be read"],
  ENOSPC: ["failed", "cannot be written: the disk is full"],
  EDQUOT: ["failed", "cannot be written: the quota is used up"],
  ENAMETOOLONG: ["outside", "has a name that is too long"],
};

function ifMissing(error: unknown): undefined {
  if (hasCode(error, "ENOENT")) {
    return undefined;
  }
  throw error;
}

const hasCode = (error: unknown, code: string): boolean =>
  isJsonObject(error) && error["code"] === code;

const namesIn = (path: string): readonly string[] =>
  path.split("/").filter((name) => name !== "" && name !== ".");

import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { join } from "node:path";

/**
 * A folder that is held while work is done in it, so that it cannot be exchanged for another.
 *
 * On Linux it is a descriptor, and paths go through `/proc/self/fd`: whatever becomes of the folder's
 * name, `at` leads into this folder. Elsewhere it is a path, and {@link OpenFolder.isSame} tells whether
 * it still leads there: who exchanges folders fast enough is not always found out.
 */
export interface OpenFolder {
  /** The path of an entry. A link there is not followed by what follows none. */
  at(name: string): string;
  /** The path of the folder itself. */
  readonly self: string;
  /** Whether the folder is still where it was; always so where it is held by a descriptor. */
  isSame(): Promise<boolean>;
  close(): Promise<void>;
}

/** Tells one file or folder from all others of this machine. */
export interface FileIdentity {
  readonly dev: number;
  readonly ino: number;
}

/** Opens the folder at a path whose last name must be no link. Rejects with the system's error. */
export type FolderOpener = (path: string, expected?: FileIdentity) => Promise<OpenFolder>;

/** Opens folders by descriptors: what only Linux can. */
export const openByDescriptor: FolderOpener = async (path, expected) => {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    refuseOther(await handle.stat(), expected);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return new DescribedFolder(handle);
};

/** Opens folders by paths, as every system can. */
export const openByPath: FolderOpener = async (path, expected) => {
  const stats = await lstat(path);
  if (!stats.isDirectory()) {
    throw Object.assign(new Error("not a folder"), { code: "ENOTDIR" });
  }
  refuseOther(stats, expected);
  return new NamedFolder(path, stats);
};

/** Whether two are one. */
export const isSameFile = (left: FileIdentity, right: FileIdentity): boolean =>
  left.dev === right.dev && left.ino === right.ino;

class DescribedFolder implements OpenFolder {
  readonly #handle: FileHandle;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  get self(): string {
    return `/proc/self/fd/${this.#handle.fd}`;
  }

  at(name: string): string {
    return `${this.self}/${name}`;
  }

  async isSame(): Promise<boolean> {
    return true;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

class NamedFolder implements OpenFolder {
  readonly self: string;
  readonly #identity: FileIdentity;

  constructor(path: string, identity: FileIdentity) {
    this.self = path;
    this.#identity = identity;
  }

  at(name: string): string {
    return join(this.self, name);
  }

  async isSame(): Promise<boolean> {
    const stats = await lstat(this.self).catch(() => undefined);
    return stats?.isDirectory() === true && isSameFile(stats, this.#identity);
  }

  async close(): Promise<void> {}
}

function refuseOther(stats: Stats, expected: FileIdentity | undefined): void {
  if (expected !== undefined && !isSameFile(stats, expected)) {
    throw Object.assign(new Error("another folder is there now"), { code: "ESTALE" });
  }
}

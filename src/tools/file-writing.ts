import { randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { type FileHandle, link, lstat, open, rename, unlink } from "node:fs/promises";
import { changed, fileAt } from "./file-reading.ts";
import { isSameFile } from "./open-folder.ts";
import type { Place } from "./place.ts";
import { WorkspaceError } from "./workspace-error.ts";
import { shownPath } from "./workspace-path.ts";

/** How a file is written. */
export interface Writing {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Whether a file that is there is replaced. */
  readonly overwrite: boolean;
  /** What the file was when it was read: it is written only if it still is. */
  readonly expected?: Stats | undefined;
}

/**
 * Writes a whole file or nothing: into a file beside it, which then takes its place. Permissions stay
 * what they were. Gives whether the file is new.
 *
 * @throws WorkspaceError `exists`, `wrong-kind`, `changed`.
 */
export async function writeWhole(place: Place, writing: Writing): Promise<boolean> {
  const { path, overwrite } = writing;
  const { folder, name, stats } = place;
  if (name === undefined || stats !== undefined) {
    fileAt(place, path); // a folder or a device is not replaced
    if (!overwrite) {
      throw existing(path);
    }
  }
  const target = folder.at(name ?? "");
  const beside = folder.at(`.dragoman-${randomUUID()}.tmp`);
  try {
    await writeNew(beside, writing.bytes, stats);
    await refuseChange(place, target, writing);
    if (overwrite) {
      await rename(beside, target);
    } else {
      await putNew(beside, target, path);
    }
  } finally {
    await unlink(beside).catch(() => {}); // after a rename it is gone
  }
  return stats === undefined;
}

async function writeNew(path: string, bytes: Uint8Array, like: Stats | undefined): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const mode = like === undefined ? 0o666 : like.mode & 0o777;
  const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0), mode);
  try {
    await handle.writeFile(bytes);
    if (like !== undefined) {
      await resemble(handle, like);
    }
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

/** The mode that a file is made with is narrowed by the process's mask; root also keeps the owner. */
async function resemble(handle: FileHandle, like: Stats): Promise<void> {
  if (process.getuid?.() === 0) {
    await handle.chown(like.uid, like.gid);
  }
  await handle.chmod(like.mode & 0o777);
}

async function refuseChange(
  place: Place,
  target: string,
  { path, expected }: Writing,
): Promise<void> {
  if (!(await place.isIntact())) {
    throw changed(path);
  }
  if (expected === undefined) {
    return;
  }
  const now = await lstat(target).catch(() => undefined);
  if (now === undefined || !isSameFile(now, expected) || now.mtimeMs !== expected.mtimeMs) {
    throw changed(path);
  }
}

/** A second name can only be given where there is none; some file systems do not know second names. */
async function putNew(beside: string, target: string, path: string): Promise<void> {
  try {
    await link(beside, target);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const isThere = await lstat(target).catch(() => undefined);
    if (code === "EEXIST" || isThere !== undefined) {
      throw existing(path);
    }
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS") {
      throw error;
    }
    await rename(beside, target);
  }
}

const existing = (path: string): WorkspaceError =>
  new WorkspaceError(
    `${shownPath(path)} exists already. To replace it whole, say so by "overwrite": true; to change a part of it, edit it.`,
    { fault: "exists" },
  );

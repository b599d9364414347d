import { randomUUID } from "node:crypto";
import { access, open, readFile, rename, rmdir, unlink } from "node:fs/promises";
import { systemClock } from "../base/clock.ts";
import { whenFree } from "../base/when-free.ts";

/** What a file is called while it is written; its own name, something random and this. */
export const asideSuffix = ".tmp";

/** A name beside `path` that nobody else uses. */
export const asideOf = (path: string): string => `${path}.${randomUUID()}${asideSuffix}`;

/**
 * Writes a file aside, for this user only, synchronises it to the disk and renames it: whoever reads has
 * all of it or what was there before.
 */
export async function replaceFile(path: string, content: Uint8Array | string): Promise<void> {
  const aside = asideOf(path);
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

/** @returns `undefined` where there is no such file. */
export const readIfThere = (path: string): Promise<Buffer | undefined> => ifThere(readFile(path));

/** Whether there is such a file. */
export const isThere = async (path: string): Promise<boolean> =>
  (await ifThere(access(path).then(() => true))) ?? false;

/** @returns whether there was such a file. */
export const removeIfThere = async (path: string): Promise<boolean> =>
  (await ifThere(unlink(path).then(() => true))) ?? false;

/** @returns whether there was such a file. */
export const renameIfThere = async (path: string, to: string): Promise<boolean> =>
  (await ifThere(rename(path, to).then(() => true))) ?? false;

/** Leaves a folder that holds something, or is gone. */
export async function removeIfEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch(() => {});
}

/** What an attempt on a file gives; `undefined` where there is none. */
export async function ifThere<Value>(attempt: Promise<Value>): Promise<Value | undefined> {
  try {
    return await attempt;
  } catch (error) {
    if (isNotThere(error)) {
      return undefined;
    }
    throw error;
  }
}

/** Whether a file, or a folder that it is to be in, is not there. */
export const isNotThere = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT";

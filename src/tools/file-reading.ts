import { constants, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { isSameFile } from "./open-folder.ts";
import type { Place } from "./place.ts";
import { WorkspaceError } from "./workspace-error.ts";
import { shownPath } from "./workspace-path.ts";

/** A file that is open to be read. */
export interface OpenFile {
  readonly handle: FileHandle;
  readonly stats: Stats;
}

/**
 * Opens the file at a place, does `work`, and closes it. What is no regular file is not opened at all:
 * opening a device can do things, and opening a pipe waits for somebody.
 *
 * @throws WorkspaceError `not-found`, `wrong-kind`, or `changed` where it was exchanged meanwhile.
 */
export async function withFile<Result>(
  place: Place,
  path: string,
  work: (file: OpenFile) => Promise<Result>,
): Promise<Result> {
  const found = fileAt(place, path);
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
  // Windows knows none of these but O_RDONLY; there they are undefined, which counts as 0 here.
  const flags = O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0) | (O_NOCTTY ?? 0);
  const handle = await open(place.folder.at(place.name ?? ""), flags);
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || !isSameFile(stats, found) || !(await place.isIntact())) {
      throw changed(path);
    }
    return await work({ handle, stats });
  } finally {
    await handle.close();
  }
}

/**
 * What is known of the regular file at a place.
 *
 * @throws WorkspaceError where there is none.
 */
export function fileAt({ name, stats }: Place, path: string): Stats {
  if (name === undefined || stats?.isDirectory()) {
    throw wrongKind(path, "is a folder");
  }
  if (stats === undefined) {
    throw Object.assign(new Error("missing"), { code: "ENOENT" }); // the walk says it in words
  }
  if (!stats.isFile()) {
    throw wrongKind(path, "is no file but a device, a pipe or a socket");
  }
  return stats;
}

/** The bytes of a file from `start` on, at most `maxBytes`. */
export async function readBytes(
  { handle }: OpenFile,
  start: number,
  maxBytes: number,
): Promise<Buffer> {
  const buffer = Buffer.alloc(maxBytes);
  let length = 0;
  while (length < maxBytes) {
    const { bytesRead } = await handle.read(buffer, length, maxBytes - length, start + length);
    if (bytesRead === 0) {
      break;
    }
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

/** The text that bytes are in UTF-8; undefined where they are none, or hold what no text does. */
export function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) {
    return undefined;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** What was at a path is not there any more, or is another thing now. */
export const changed = (path: string): WorkspaceError =>
  new WorkspaceError(`${shownPath(path)} was changed by somebody else while it was used.`, {
    fault: "changed",
  });

const wrongKind = (path: string, why: string): WorkspaceError =>
  new WorkspaceError(`${shownPath(path)} ${why}.`, { fault: "wrong-kind" });

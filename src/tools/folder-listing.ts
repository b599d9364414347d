import type { Dirent, Stats } from "node:fs";
import { lstat, opendir } from "node:fs/promises";
import type { FolderOpener, OpenFolder } from "./open-folder.ts";

/** What an entry of a folder is. */
export type EntryKind = "file" | "folder" | "link" | "other";

/** An entry of a folder. */
export interface Entry {
  /** From the workspace on, as in `project/src/a.ts`. */
  readonly path: string;
  readonly kind: EntryKind;
  /** Of a file, in bytes. */
  readonly size?: number;
}

/** An entry, with the folder in which it is as long as it is looked at. */
export interface FoundEntry {
  readonly entry: Entry;
  readonly folder: OpenFolder;
  readonly name: string;
  readonly stats: Stats;
}

/** How folders are gone through. */
export interface Listing {
  /** The path of the folder, from the workspace on. */
  readonly path: string;
  /** How many folders deep; 1 is the folder itself. */
  readonly depth: number;
  readonly maxEntries: number;
  /** Names of folders that are told of, but not entered. */
  readonly skip: ReadonlySet<string>;
  readonly open: FolderOpener;
  readonly signal?: AbortSignal | undefined;
  /** Called with each entry, in order; false ends the listing. */
  visit(found: FoundEntry): boolean | Promise<boolean>;
}

/**
 * Goes through a folder and those within it, in the order of their names, each held open while it is
 * looked at. Links are told of, never followed. Gives whether all was seen.
 *
 * @throws the signal's reason.
 */
export async function listFolder(folder: OpenFolder, listing: Listing): Promise<boolean> {
  const budget = { left: listing.maxEntries };
  return listWithin(folder, listing, budget);
}

async function listWithin(
  folder: OpenFolder,
  listing: Listing,
  budget: { left: number },
): Promise<boolean> {
  const { entries, isAll } = await entriesOf(folder, budget.left, listing.signal);
  for (const { name } of entries) {
    listing.signal?.throwIfAborted();
    const stats = await lstat(folder.at(name)).catch(() => undefined);
    if (stats === undefined) {
      continue; // gone meanwhile
    }
    if (budget.left === 0) {
      return false;
    }
    budget.left -= 1;
    const entry = toEntry(`${listing.path}/${name}`, stats);
    if (!(await listing.visit({ entry, folder, name, stats }))) {
      return false;
    }
    if (!(await enter(folder, { name, stats, entry }, listing, budget))) {
      return false;
    }
  }
  return isAll;
}

async function enter(
  folder: OpenFolder,
  { name, stats, entry }: Omit<FoundEntry, "folder">,
  listing: Listing,
  budget: { left: number },
): Promise<boolean> {
  if (entry.kind !== "folder" || listing.depth <= 1 || listing.skip.has(name)) {
    return true;
  }
  const inner = await listing.open(folder.at(name), stats).catch(() => undefined);
  if (inner === undefined) {
    return true; // gone meanwhile, or not to be read
  }
  try {
    const within = { ...listing, path: entry.path, depth: listing.depth - 1 };
    return await listWithin(inner, within, budget);
  } finally {
    await inner.close();
  }
}

/** Entries in the order of their names; of a folder with more than `most`, some `most`. */
async function entriesOf(
  folder: OpenFolder,
  most: number,
  signal: AbortSignal | undefined,
): Promise<{ readonly entries: readonly Dirent[]; readonly isAll: boolean }> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(folder.self)) {
    signal?.throwIfAborted();
    if (entries.length === most) {
      return { entries: sorted(entries), isAll: false };
    }
    entries.push(entry);
  }
  return { entries: sorted(entries), isAll: true };
}

const sorted = (entries: readonly Dirent[]): readonly Dirent[] =>
  entries.toSorted((left, right) => (left.name < right.name ? -1 : 1));

function toEntry(path: string, stats: Stats): Entry {
  if (stats.isFile()) {
    return { path, kind: "file", size: stats.size };
  }
  const kind = stats.isDirectory() ? "folder" : stats.isSymbolicLink() ? "link" : "other";
  return { path, kind };
}

import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { didYouMean } from "../base/closest-name.ts";
import type { SandboxFolder } from "../base/sandbox-settings.ts";
import { TurnQueue } from "../base/turn-queue.ts";
import { applyEdit, type Edit } from "./apply-edit.ts";
import { fileAt, readBytes, textOf, withFile } from "./file-reading.ts";
import { writeWhole } from "./file-writing.ts";
import { type Entry, type FoundEntry, listFolder } from "./folder-listing.ts";
import { type FolderOpener, openByDescriptor, openByPath } from "./open-folder.ts";
import type { Place } from "./place.ts";
import { type ReadLines, readLines } from "./read-lines.ts";
import { WorkspaceError } from "./workspace-error.ts";
import {
  checkWorkspaceOptions,
  type WorkspaceLimits,
  type WorkspaceOptions,
} from "./workspace-options.ts";
import { segmentsOf, shownPath, workspacePlace } from "./workspace-path.ts";
import { type WorkspaceRoot, walkTo } from "./workspace-walk.ts";

/**
 * Folders of this machine, by names, for tools to work in. A path begins with a root's name:
 * `project/src/a.ts`. No path leads out: not by `..`, not as an absolute path, and not through a link,
 * also where a link is put in the place of a folder at that very moment (on Linux; elsewhere a program of
 * yours that does so again and again can succeed). Devices, pipes and sockets are not opened.
 *
 * Every method rejects with a {@link WorkspaceError}, or with the reason of a signal. Nothing has to be closed.
 */
export class Workspace {
  readonly limits: Required<WorkspaceLimits>;
  /** The roots, without what they are on this machine. */
  readonly roots: readonly { readonly name: string; readonly writable: boolean }[];
  /** The roots as a sandbox shows them: at `/workspace/<name>`. */
  readonly folders: readonly SandboxFolder[];
  readonly #roots: readonly WorkspaceRoot[];
  readonly #skip: ReadonlySet<string>;
  readonly #writes = new TurnQueue();
  readonly #open: FolderOpener = existsSync("/proc/self/fd") ? openByDescriptor : openByPath;

  /** @param options see {@link createWorkspace}. @param open how folders are held; for tests. */
  constructor(options: WorkspaceOptions, open?: FolderOpener) {
    const { roots, limits, skip } = checkWorkspaceOptions(options);
    this.limits = limits;
    this.roots = roots.map(({ name, writable }) => ({ name, writable }));
    this.folders = roots.map(({ name, path, writable }) => ({
      path,
      at: `${workspacePlace}/${name}`,
      writable,
    }));
    this.#roots = roots;
    this.#skip = skip;
    this.#open = open ?? this.#open;
  }

  /** The bytes of a file. @throws also `too-large`, for more than `maxBytes` (default: `maxReadBytes`). */
  async read(path: string, maxBytes: number = this.limits.maxReadBytes): Promise<Uint8Array> {
    return this.#at(path, (place) =>
      withFile(place, path, async (file) => {
        if (file.stats.size > maxBytes) {
          throw tooLarge(path, file.stats.size, maxBytes);
        }
        const bytes = await readBytes(file, 0, maxBytes + 1);
        if (bytes.length > maxBytes) {
          throw tooLarge(path, bytes.length, maxBytes); // it grows, or does not know its size
        }
        return bytes;
      }),
    );
  }

  /** The first bytes of a file and its size, to see what it is. */
  async peek(
    path: string,
    bytes: number,
  ): Promise<{ readonly head: Uint8Array; readonly size: number }> {
    return this.#at(path, (place) =>
      withFile(place, path, async (file) => ({
        head: await readBytes(file, 0, bytes),
        size: file.stats.size,
      })),
    );
  }

  /** Lines of a text, at most `maxReadBytes` of them at once. @throws also `not-text`. */
  async readLines(
    path: string,
    range: {
      readonly fromLine?: number | undefined;
      readonly maxLines?: number | undefined;
      readonly signal?: AbortSignal;
    } = {},
  ): Promise<ReadLines> {
    const { fromLine = 1, maxLines = Number.MAX_SAFE_INTEGER, signal } = range;
    const maxBytes = this.limits.maxReadBytes;
    const lines = await this.#at(path, (place) =>
      withFile(place, path, (file) => readLines(file, { fromLine, maxLines, maxBytes, signal })),
    );
    if (lines === undefined) {
      throw notText(path);
    }
    return lines;
  }

  /**
   * Writes a file, whole or not at all; missing folders are made. Gives whether it is new.
   *
   * @throws also `read-only`, `too-large`, and `exists` unless `overwrite` is set.
   */
  async write(
    path: string,
    content: string | Uint8Array,
    { overwrite = false }: { readonly overwrite?: boolean } = {},
  ): Promise<{ readonly isNew: boolean; readonly size: number }> {
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    const { root, segments } = this.#writableRoot(path);
    this.#refuseSize(path, bytes.length);
    return this.#inTurn(root, async () => {
      const walk = { root, segments, path, open: this.#open, makeFolders: true };
      const isNew = await walkTo(walk, (place) => writeWhole(place, { path, bytes, overwrite }));
      return { isNew, size: bytes.length };
    });
  }

  /**
   * Replaces text in a file. Edits by this workspace come one after another; where somebody else
   * changes the file meanwhile, nothing is written.
   *
   * @throws also `read-only`, `not-text`, `no-match`, `changed`, `too-large`.
   */
  async edit(path: string, edit: Edit): Promise<{ readonly lines: readonly number[] }> {
    const { root, segments } = this.#writableRoot(path);
    return this.#inTurn(root, () =>
      walkTo({ root, segments, path, open: this.#open }, async (place) => {
        this.#refuseSize(path, fileAt(place, path).size);
        const { before, expected } = await withFile(place, path, async (file) => ({
          before: textOf(await readBytes(file, 0, this.limits.maxWriteBytes + 1)),
          expected: file.stats,
        }));
        if (before === undefined) {
          throw notText(path);
        }
        const { text, lines } = applyEdit(before, edit, path);
        const bytes = Buffer.from(text);
        this.#refuseSize(path, bytes.length);
        await writeWhole(place, { path, bytes, overwrite: true, expected });
        return { lines };
      }),
    );
  }

  /**
   * What is in a folder, in the order of names, and in those within it down to `depth` (default 1). The
   * empty path is the workspace itself. Of more than `maxEntries`, `isAll` is false.
   */
  async list(
    path: string,
    {
      depth = 1,
      signal,
    }: { readonly depth?: number | undefined; readonly signal?: AbortSignal } = {},
  ): Promise<{ readonly entries: readonly Entry[]; readonly isAll: boolean }> {
    const entries: Entry[] = [];
    const isAll = await this.visit(path, { depth, signal }, ({ entry }) => {
      entries.push(entry);
      return true;
    });
    return { entries, isAll };
  }

  /**
   * Calls `visit` with each of those entries, until it gives false. Gives whether all were seen. For the
   * tools of this package: what `visit` gets is open only while it runs.
   */
  async visit(
    path: string,
    { depth, signal }: { readonly depth: number; readonly signal?: AbortSignal | undefined },
    visit: (found: FoundEntry) => boolean | Promise<boolean>,
  ): Promise<boolean> {
    const [name, ...segments] = segmentsOf(path);
    const budget = { left: this.limits.maxEntries };
    if (name !== undefined) {
      return this.#visitRoot(this.#root(path), { path, segments, depth, signal }, visit, budget);
    }
    for (const root of this.#roots) {
      const inRoot = { path: root.name, segments: [], depth, signal };
      if (!(await this.#visitRoot(root, inRoot, visit, budget))) {
        return false;
      }
    }
    return true;
  }

  /** Where a folder is on this machine, to start a program in it. Never to be shown to a model. */
  async locate(path: string): Promise<string> {
    return this.#at(path, async ({ folder, name, stats }) => {
      if (name !== undefined && !stats?.isDirectory()) {
        throw stats === undefined ? missing() : notFolder(path);
      }
      return realpath(name === undefined ? folder.self : folder.at(name));
    });
  }

  async #visitRoot(
    root: WorkspaceRoot,
    {
      path,
      segments,
      depth,
      signal,
    }: {
      readonly path: string;
      readonly segments: readonly string[];
      readonly depth: number;
      readonly signal: AbortSignal | undefined;
    },
    visit: (found: FoundEntry) => boolean | Promise<boolean>,
    budget: { left: number },
  ): Promise<boolean> {
    const shown = [root.name, ...segments].join("/");
    return walkTo({ root, segments, path, open: this.#open }, async (place) => {
      const folder = await this.#openPlace(place, path);
      try {
        return await listFolder(folder, {
          path: shown,
          depth,
          maxEntries: budget.left,
          skip: this.#skip,
          open: this.#open,
          signal,
          visit: (found) => {
            budget.left -= 1;
            return visit(found);
          },
        });
      } finally {
        await folder.close();
      }
    });
  }

  async #openPlace({ folder, name, stats }: Place, path: string): ReturnType<FolderOpener> {
    if (name === undefined) {
      return this.#open(folder.at("."));
    }
    if (stats === undefined) {
      throw missing();
    }
    if (!stats.isDirectory()) {
      throw notFolder(path);
    }
    return this.#open(folder.at(name), stats);
  }

  #at<Result>(path: string, work: (place: Place) => Promise<Result>): Promise<Result> {
    const root = this.#root(path);
    const segments = segmentsOf(path).slice(1);
    return walkTo({ root, segments, path, open: this.#open }, work);
  }

  #root(path: string): WorkspaceRoot {
    const [name] = segmentsOf(path);
    const root = this.#roots.find((candidate) => candidate.name === name);
    if (root !== undefined) {
      return root;
    }
    const names = this.#roots.map((candidate) => candidate.name);
    const hint = name === undefined ? "" : didYouMean(name, names);
    throw new WorkspaceError(
      `The path ${shownPath(path)} begins with no root of the workspace.${hint} Its roots are: ${names.join(", ")}.`,
      { fault: "outside" },
    );
  }

  #writableRoot(path: string): {
    readonly root: WorkspaceRoot;
    readonly segments: readonly string[];
  } {
    const root = this.#root(path);
    if (!root.writable) {
      throw new WorkspaceError(
        `${shownPath(path)} cannot be changed: the root "${root.name}" can only be read.`,
        { fault: "read-only" },
      );
    }
    return { root, segments: segmentsOf(path).slice(1) };
  }

  #refuseSize(path: string, size: number): void {
    if (size > this.limits.maxWriteBytes) {
      throw tooLarge(path, size, this.limits.maxWriteBytes);
    }
  }

  /** Two paths may be one file, through links: so one queue serves a whole root. */
  #inTurn<Result>(root: WorkspaceRoot, work: () => Promise<Result>): Promise<Result> {
    return this.#writes.inTurn(root.name, work);
  }
}

/**
 * Makes a workspace of folders that are there. Folders may only be read unless they are `writable`.
 *
 * @throws ConfigurationError where a folder is missing, two lie within each other, or a key is unknown.
 */
export function createWorkspace(options: WorkspaceOptions): Workspace {
  return new Workspace(options);
}

const missing = (): Error => Object.assign(new Error("missing"), { code: "ENOENT" });

const notFolder = (path: string): WorkspaceError =>
  new WorkspaceError(`${shownPath(path)} is no folder.`, { fault: "wrong-kind" });

const notText = (path: string): WorkspaceError =>
  new WorkspaceError(`${shownPath(path)} is no text in UTF-8.`, { fault: "not-text" });

const tooLarge = (path: string, size: number, most: number): WorkspaceError =>
  new WorkspaceError(`${shownPath(path)} has ${size} bytes; ${most} are allowed.`, {
    fault: "too-large",
  });

import type { Stats } from "node:fs";
import type { OpenFolder } from "./open-folder.ts";

/** Where a walk has led: an entry of a folder that is held open, or the root itself. */
export interface Place {
  readonly folder: OpenFolder;
  /** The entry's name; undefined for the root itself, which `folder` is then. */
  readonly name: string | undefined;
  /** What is there: never a link. Undefined where nothing is. */
  readonly stats: Stats | undefined;
  /** Whether all folders on the way still were the same after the work. */
  isIntact(): Promise<boolean>;
}

import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname } from "node:path";

/** Node, as it runs these tests. */
export const node: string = realpathSync(process.execPath);
/** What a sandbox has to show for Node to run in it. */
export const nodeFolder: string = dirname(node);

/** A command that takes long, and that no other process of this machine is. */
export const nap = (index: number): string => `sleep ${(1_000_000 + process.pid) * 10 + index}`;

/** The processes of this machine whose command line holds a text. */
export function processesWith(text: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => commandLineOf(pid).includes(text));
}

function commandLineOf(pid: number): string {
  const file = `/proc/${pid}/cmdline`;
  try {
    return existsSync(file) ? readFileSync(file, "utf8").replaceAll("\u0000", " ") : "";
  } catch {
    return ""; // it has ended meanwhile
  }
}

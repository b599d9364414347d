import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/**
 * Where the command line keeps its files: `dragoman` in the user's data folder, which is
 * `XDG_DATA_HOME` (an absolute path, else it does not count: XDG Base Directory Specification 0.8),
 * `LOCALAPPDATA` on Windows, else `~/.local/share`.
 */
export function dataFolder(env: Readonly<Record<string, string | undefined>>): string {
  const named = [env["XDG_DATA_HOME"], env["LOCALAPPDATA"]];
  const given = named.find((folder) => folder !== undefined && isAbsolute(folder));
  return join(given ?? join(env["HOME"] || homedir(), ".local", "share"), "dragoman");
}

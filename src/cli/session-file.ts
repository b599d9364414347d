import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { SessionStore } from "../agent/session-store.ts";
import { sqliteSessions } from "../stores/sqlite-sessions.ts";

/**
 * The store of the command line's conversations; nothing is opened or made before it is used.
 *
 * @param file default: `dragoman/sessions.db` in the user's data folder, which is `XDG_DATA_HOME` (an
 *   absolute path, else it does not count: XDG Base Directory Specification 0.8), `LOCALAPPDATA` on
 *   Windows, else `~/.local/share`.
 */
export function openSessionFile(
  file: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): SessionStore {
  return sqliteSessions({ file: file ?? join(dataFolder(env), "dragoman", "sessions.db") });
}

function dataFolder(env: Readonly<Record<string, string | undefined>>): string {
  const named = [env["XDG_DATA_HOME"], env["LOCALAPPDATA"]];
  const given = named.find((folder) => folder !== undefined && isAbsolute(folder));
  return given ?? join(env["HOME"] || homedir(), ".local", "share");
}

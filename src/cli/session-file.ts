import { join } from "node:path";
import type { SessionStore } from "../agent/session-store.ts";
import { sqliteSessions } from "../stores/sqlite-sessions.ts";
import { dataFolder } from "./data-folder.ts";

/**
 * The store of the command line's conversations; nothing is opened or made before it is used.
 *
 * @param file default: `sessions.db` in {@link dataFolder}.
 */
export function openSessionFile(
  file: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): SessionStore {
  return sqliteSessions({ file: file ?? join(dataFolder(env), "sessions.db") });
}

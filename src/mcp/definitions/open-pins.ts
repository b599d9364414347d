import { ConfigurationError } from "../../base/dragoman-error.ts";
import { isJsonObject } from "../../base/json.ts";
import type { PinsSetting, ServerPins, ToolPins } from "../../tool/tool-pins.ts";
import { checkToolLock, defaultLockFile, readToolLock } from "./tool-lock.ts";

/** What is to be done with the tools of one server, and its pins. */
export type OpenedPins =
  | { readonly mode: "off" }
  | {
      readonly mode: "warn" | "enforce";
      /** Absent where the lock has none for this server. */
      readonly pins: ServerPins | undefined;
    };

const modes: readonly unknown[] = ["off", "warn", "enforce"];

/** What is wrong with a setting of pins, in a sentence; undefined where it is right, or absent. */
export function faultOfPins(setting: unknown): string | undefined {
  if (setting === undefined) {
    return undefined;
  }
  const { mode, lock, ...rest }: { readonly [key: string]: unknown } = isJsonObject(setting)
    ? setting
    : { mode: setting };
  const [unknown] = Object.keys(rest);
  if (!modes.includes(mode) || unknown !== undefined) {
    return '"pins" must be "off", "warn" or "enforce", or { mode, lock } with one of them as the mode.';
  }
  return lock === undefined || typeof lock === "string" || isJsonObject(lock)
    ? undefined
    : 'The "lock" of "pins" must be the path of a file, or what such a file holds.';
}

/**
 * The pins of a server by what the toolset says, else by what is configured for all.
 *
 * @throws ConfigurationError where they are to be enforced and there is no lock, and where the lock is
 *   of no use
 */
export async function openPins(
  server: string,
  given: PinsSetting | undefined,
  configured: PinsSetting | undefined,
): Promise<OpenedPins> {
  const fault = faultOfPins(configured);
  if (fault !== undefined) {
    throw new ConfigurationError(`configure({ pins }): ${fault}`, {
      code: "invalid-configuration",
    });
  }
  const own = withMode(given);
  const all = withMode(configured);
  const mode = own?.mode ?? all?.mode ?? "off";
  if (mode === "off") {
    return { mode };
  }
  const place = own?.lock ?? all?.lock ?? defaultLockFile;
  const lock =
    typeof place === "string" ? await readToolLock(place) : checkToolLock(place, "The lock");
  if (lock === undefined && mode === "enforce") {
    throw invalid(
      `The MCP server "${server}"`,
      `its tools are to be as they were pinned, but there is no file ${String(place)}. Write it with dragoman mcp pin`,
    );
  }
  const servers = lock?.servers ?? {};
  return { mode, pins: Object.hasOwn(servers, server) ? servers[server] : undefined };
}

const withMode = (setting: PinsSetting | undefined): ToolPins | undefined =>
  typeof setting === "string" ? { mode: setting } : setting;

const invalid = (where: string, what: string): ConfigurationError =>
  new ConfigurationError(`${where}: ${what}.`, { code: "invalid-configuration" });

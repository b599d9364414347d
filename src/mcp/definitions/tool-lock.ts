import { readFile, rename, writeFile } from "node:fs/promises";
import { canonicalJson } from "../../base/canonical-json.ts";
import { systemClock } from "../../base/clock.ts";
import { ConfigurationError, messageOf } from "../../base/dragoman-error.ts";
import { isJsonObject, type Json, parseJson } from "../../base/json.ts";
import { whenFree } from "../../base/when-free.ts";
import type { ServerPins, ToolLock, ToolPin } from "../../tool/tool-pins.ts";
import { escapeHidden } from "../text/visible-text.ts";
import type { McpToolDefinition } from "./tool-definition.ts";
import { pinDigest, toolPin } from "./tool-pin.ts";

/** Where pins are kept if nothing else is said. */
export const defaultLockFile = "dragoman.lock.json";

const lockVersion = 1;

/** The pins of a server's tools as they are published now. */
export function pinTools(definitions: readonly McpToolDefinition[]): ServerPins {
  return { tools: sorted(definitions.map((one) => [one.sourceName, toolPin(one)] as const)) };
}

/** A lock of these servers, by alias. */
export function toolLockOf(servers: Readonly<Record<string, ServerPins>>): ToolLock {
  return { version: lockVersion, servers: sorted(Object.entries(servers)) };
}

/**
 * Reads a lock file; undefined where there is none.
 *
 * @throws ConfigurationError `invalid-configuration` where it is not a lock file, of a newer form, or
 *   holds a definition that does not have the digest beside it
 */
export async function readToolLock(file: string): Promise<ToolLock | undefined> {
  const text = await textOf(file);
  return text === undefined ? undefined : checkToolLock(parseJson(text), file);
}

/** The same for what has been read already. @param where names it in errors */
export function checkToolLock(value: unknown, where: string): ToolLock {
  if (!isJsonObject(value) || typeof value["version"] !== "number") {
    throw invalid(where, "it is not a lock file. Write one with dragoman mcp pin");
  }
  if (value["version"] !== lockVersion) {
    throw invalid(where, `it has the version ${value["version"]}, and 1 is known. Update Dragoman`);
  }
  const { servers } = value;
  if (!isJsonObject(servers)) {
    throw invalid(where, 'it has no "servers"');
  }
  const checked = Object.entries(servers).map(
    ([alias, pins]) => [alias, checkServer(pins, `${where}: "${alias}"`)] as const,
  );
  return toolLockOf(Object.fromEntries(checked));
}

/** Writes a lock file: the same pins give the same bytes, and what nobody would see is escaped. */
export async function writeToolLock(file: string, lock: ToolLock): Promise<void> {
  const draft = `${file}.${process.pid}.tmp`;
  try {
    // By way of another file, so that a reader never sees half of it.
    await writeFile(draft, lockText(lock));
    await whenFree(() => rename(draft, file), { platform: process.platform, clock: systemClock });
  } catch (cause) {
    throw new ConfigurationError(`${file} cannot be written: ${messageOf(cause)}`, {
      code: "invalid-configuration",
      cause,
    });
  }
}

/** A lock as the text of its file. */
function lockText(lock: ToolLock): string {
  const ordered: Json | undefined = parseJson(canonicalJson(lock));
  return `${escapeHidden(JSON.stringify(ordered, undefined, 2))}\n`;
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    if (isJsonObject(cause) && cause["code"] === "ENOENT") {
      return undefined;
    }
    throw new ConfigurationError(`${file} cannot be read: ${messageOf(cause)}`, {
      code: "invalid-configuration",
      cause,
    });
  }
}

function checkServer(pins: unknown, where: string): ServerPins {
  if (!isJsonObject(pins) || !isJsonObject(pins["tools"])) {
    throw invalid(where, 'it has no "tools"');
  }
  const tools = Object.entries(pins["tools"]);
  return { tools: sorted(tools.map(([name, pin]) => [name, checkPin(name, pin, where)] as const)) };
}

function checkPin(name: string, pin: unknown, where: string): ToolPin {
  const { sha256, definition } = isJsonObject(pin) ? pin : {};
  if (typeof sha256 !== "string" || !isJsonObject(definition)) {
    throw invalid(where, `the pin of "${name}" has no digest or no definition`);
  }
  if (pinDigest(name, definition) !== sha256) {
    throw invalid(
      where,
      `the definition of "${name}" does not have the digest beside it, so one of them was changed by hand. Pin it again`,
    );
  }
  return { sha256, definition };
}

const invalid = (where: string, what: string): ConfigurationError =>
  new ConfigurationError(`${where} cannot be used: ${what}.`, { code: "invalid-configuration" });

const sorted = <Value>(entries: readonly (readonly [string, Value])[]): Record<string, Value> =>
  Object.fromEntries(entries.toSorted(([left], [right]) => (left < right ? -1 : 1)));

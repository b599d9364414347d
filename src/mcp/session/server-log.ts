import type { Json, JsonObject } from "../../base/json.ts";
import { visibleLine, visibleText } from "../text/visible-text.ts";

/** How bad it is, in the words of syslog (RFC 5424), the least first. */
export type McpLogLevel = (typeof logLevels)[number];

/** All levels, the least first. */
export const logLevels = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;

/** Something that a server logged. All of it is a stranger's claim. */
export interface McpLog {
  readonly level: McpLogLevel;
  /** Which part of the server speaks. */
  readonly logger?: string;
  /** A text, or whatever else the server sent; cut to a text where it is over 16 KiB. */
  readonly data: Json;
}

const longest = 16 * 1024;

/** A log message of a server's, without the credentials that `hide` knows. */
export function toMcpLog(
  { level, logger, data }: JsonObject,
  hide: (text: string) => string,
): McpLog {
  const known = logLevels.find((one) => one === level) ?? "info";
  return {
    level: known,
    ...(typeof logger === "string" ? { logger: visibleLine(hide(logger), 100) } : {}),
    data: shown(data ?? null, hide),
  };
}

function shown(data: Json, hide: (text: string) => string): Json {
  if (typeof data === "string") {
    return hide(visibleText(data)).slice(0, longest);
  }
  const text = JSON.stringify(data);
  const hidden = hide(text);
  return hidden === text && text.length <= longest ? data : hidden.slice(0, longest);
}

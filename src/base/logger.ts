import type { JsonObject } from "./json.ts";

/**
 * Where Dragoman reports what an operator should know. Messages and fields never hold prompts,
 * results or credentials. A logger must not throw.
 */
export interface Logger {
  debug(message: string, fields?: JsonObject): void;
  info(message: string, fields?: JsonObject): void;
  warn(message: string, fields?: JsonObject): void;
  error(message: string, fields?: JsonObject): void;
}

/** The default: warnings and errors on the console's error stream, nothing else. */
export const consoleLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: (message, fields) => print("warn", message, fields),
  error: (message, fields) => print("error", message, fields),
};

/** A logger that keeps silent. */
export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
};

function print(level: "warn" | "error", message: string, fields: JsonObject | undefined): void {
  const details = fields === undefined ? "" : ` ${JSON.stringify(fields)}`;
  console[level](`dragoman: ${message}${details}`);
}

import type { JsonObject } from "../base/json.ts";

/**
 * What is done with a tool whose definition is not the one that was pinned: nothing; it is told; or
 * the tool is kept from the model, and told.
 */
export type PinMode = "off" | "warn" | "enforce";

/** How pins are written: the mode alone, or with the place of the pins. */
export type PinsSetting = PinMode | ToolPins;

/** Whether tools are compared with their pins, and where these are. */
export interface ToolPins {
  readonly mode: PinMode;
  /** The file that `dragoman mcp pin` writes, or what it holds. Default `dragoman.lock.json`. */
  readonly lock?: string | ToolLock;
}

/** The definitions of servers' tools that somebody has looked at; plain data. */
export interface ToolLock {
  /** Of this form; 1. */
  readonly version: number;
  /** By the alias of the server. */
  readonly servers: Readonly<Record<string, ServerPins>>;
}

/** The pins of one server. */
export interface ServerPins {
  /** By the server's own name of the tool. */
  readonly tools: Readonly<Record<string, ToolPin>>;
}

/** One tool as it was when it was pinned. */
export interface ToolPin {
  /** Of the canonical JSON of name and definition, in hexadecimal digits. */
  readonly sha256: string;
  /** Title, description, schemas and annotations as the server sent them. */
  readonly definition: JsonObject;
}

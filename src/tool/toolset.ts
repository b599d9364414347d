import type { Json } from "../base/json.ts";
import type { ActiveSpan } from "../base/tracing.ts";
import type { Binding } from "./binding.ts";
import type { Tool } from "./tool.ts";
import type { PinsSetting } from "./tool-pins.ts";

/**
 * What a server that cannot be used means for the run: recorded and reported, and the run goes on;
 * expected and quiet; or the run fails. A server whose configuration turns out wrong when it is opened
 * is recorded, too, and otherwise fails the run. In none of the three are cancellation, the deadline,
 * other configuration errors or what a callback of the application throws taken for a server's failure.
 */
export type UnavailablePolicy = "record" | "ignore" | "fail";

/** Tools that are had by opening something, a connection to an MCP server above all. */
export interface Toolset {
  /** Unique among the toolsets of a run; names the server in events, errors and prefixes. */
  readonly name: string;
  /** What its tools are about; discovery scores it. */
  readonly description?: string | undefined;
  /** Default `"record"`. */
  readonly onUnavailable?: UnavailablePolicy | undefined;
  /** Told of failures that `"ignore"` keeps quiet. What it throws is the application's and propagates. */
  readonly onError?: ((error: unknown, scope: { readonly binding: Binding }) => void) | undefined;
  /** Names of tools are always prefixed with the toolset's name. */
  readonly prefix?: boolean | undefined;
  /**
   * Names what the toolset's tools depend on, in so far as it can be told without opening it: for one
   * key the tools are the same, whoever runs, and may be remembered under it. It holds no credential.
   * `undefined`, or no such function: they must not be remembered.
   *
   * @param pins what the configuration says of pins, for toolsets that say nothing.
   */
  catalogueKey?(binding: Binding, pins?: PinsSetting): string | undefined;
  /**
   * Opens the toolset for one run, with that run's credentials. It rejects where the tools cannot be
   * had, with a `ConfigurationError` where the configuration is at fault and with the signal's reason
   * on cancellation. What it opened before it failed, it closes.
   */
  open(binding: Binding, observer: ToolsetObserver): Promise<OpenToolset>;
}

/** What an open toolset may report to the run. */
export interface ToolsetObserver {
  /** Something was left out or looks wrong: a malformed tool, a limit reached. */
  notice(code: string, message: string): void;
  /** The server logged something. */
  log?(entry: ServerLog): void;
  /** The server publishes other tools now: what was remembered of them is not true any more. */
  toolsChanged?(): void;
  /** Whether what is opened outlives a run. Default false. */
  readonly isKept?: boolean | undefined;
  /** What the configuration says of pins, for toolsets that say nothing. */
  readonly pins?: PinsSetting | undefined;
  /** The opening's operation, where somebody traces. */
  readonly span?: ActiveSpan | undefined;
}

/** Something that a server logged: a stranger's words, which a model is not shown. */
export interface ServerLog {
  /** How bad it is, in the words of syslog: `debug`, `info`, `notice`, `warning`, `error` and worse. */
  readonly level: string;
  /** Which part of the server speaks. */
  readonly logger?: string;
  /** A text, or whatever else the server sent. */
  readonly data: Json;
}

/** A toolset that is open. */
export interface OpenToolset {
  readonly tools: readonly Tool[];
  /** The server as it names itself, where there is one. */
  readonly serverInfo?: { readonly name: string; readonly version: string } | undefined;
  /** Whether its tools can still be used, where that can be told. What is kept open is opened anew if not. */
  isOpen?(): boolean;
  /**
   * The toolset as it is now, on what is open already: the same where nothing has changed, else one
   * with the tools of now, which a run takes over before its next model call. One of them all is closed.
   * It rejects where the tools cannot be had.
   */
  current?(options: { readonly signal: AbortSignal }): Promise<OpenToolset>;
  /**
   * Fetches what a result of its tools named by a reference, from where it came; `undefined` where there
   * is nothing. It is asked only when the run's model wants to read it.
   */
  fetch?(
    reference: string,
    options: { readonly signal: AbortSignal },
  ): Promise<Uint8Array | undefined>;
  /**
   * What the server says on its use, for the system prompt; only where the application wants it. It
   * stands in a fence that names the server and says that it is a stranger's text.
   */
  readonly instructions?: string | undefined;
  /** Closes it; called exactly once, also after failure and cancellation. It does not reject. */
  close(): Promise<void>;
}

/** Whether `value` is a toolset. */
export function isToolset(value: unknown): value is Toolset {
  return typeof value === "object" && value !== null && "open" in value && "name" in value;
}

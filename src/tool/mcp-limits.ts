/**
 * How much is taken of an MCP server, beside the bytes of one answer (`maxResponseBytes` of its
 * transport). Whatever is over a limit is left out, or refused, with words that name the limit.
 */
export interface McpLimits {
  /** Tools that are taken; the rest of the list is left out. Default 1 000. */
  readonly maxTools?: number;
  /** Resources, templates or prompts in a list; one with more fails. Default 10 000. */
  readonly maxEntries?: number;
  /** Pages of a list that are read; of tools the rest is left out, other lists fail. Default 100. */
  readonly maxPages?: number;
  /** JSON of a whole list, in bytes; of tools the rest is left out, other lists fail. Default 10 MiB. */
  readonly maxDiscoveryBytes?: number;
  /** Values (objects, lists, texts, …) of all tools together; the rest is left out. Default 100 000. */
  readonly maxDiscoveryNodes?: number;
  /** The longest cursor, in bytes; a longer one fails the list. Default 16 KiB. */
  readonly maxCursorBytes?: number;
  /** How deep one definition of a tool may be nested; a deeper one is left out. Default 64, at most 500. */
  readonly maxDefinitionDepth?: number;
  /** Values in one definition of a tool; one with more is left out. Default 10 000. */
  readonly maxDefinitionNodes?: number;
  /** Patterns in one definition of a tool; one with more is left out. Default 1 000. */
  readonly maxPatterns?: number;
  /** The longest pattern, in bytes; a tool with a longer one is left out. Default 64 KiB. */
  readonly maxPatternBytes?: number;
  /** The longest description of a tool, in characters; a longer one is cut. Default 4 096. */
  readonly maxDescriptionLength?: number;
  /** The same of a parameter. Default 1 024. */
  readonly maxParameterDescriptionLength?: number;
  /** Images, sounds and files in one result; the rest is left out. Default 20. */
  readonly maxImages?: number;
  /** The largest image, sound or file, in bytes, decoded; a larger one is left out. Default 16 MiB. */
  readonly maxImageBytes?: number;
  /** All images, sounds and files of one result; what is beyond is left out. Default 64 MiB. */
  readonly maxTotalImageBytes?: number;
}

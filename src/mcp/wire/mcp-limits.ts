import type { McpLimits } from "../../tool/mcp-limits.ts";
import {
  ConfigFault,
  type ConfigPath,
  type Fields,
  fieldsAt,
  optionalCount,
  refuseUnknownKeys,
} from "./config-shape.ts";

/** Limits with their defaults filled in. */
export type ResolvedLimits = Readonly<Required<McpLimits>>;

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

/** What each limit is where nothing is said. */
export const defaultLimits: ResolvedLimits = {
  maxTools: 1_000,
  maxEntries: 10_000,
  maxPages: 100,
  maxDiscoveryBytes: 10 * mebibyte,
  maxDiscoveryNodes: 100_000,
  maxCursorBytes: 16 * kibibyte,
  maxDefinitionDepth: 64,
  maxDefinitionNodes: 10_000,
  maxPatterns: 1_000,
  maxPatternBytes: 64 * kibibyte,
  maxDescriptionLength: 4_096,
  maxParameterDescriptionLength: 1_024,
  maxImages: 20,
  maxImageBytes: 16 * mebibyte,
  maxTotalImageBytes: 64 * mebibyte,
};

/** Definitions are gone through recursively, here and for the models. */
const deepestDefinition = 500;

/** The given limits, and the defaults for the others. */
export function resolveLimits(limits: McpLimits = {}): ResolvedLimits {
  return { ...defaultLimits, ...limits };
}

/** A limit in words: its name, so that one can look it up and raise it, and its value. */
export function limitWords(name: keyof McpLimits, limits: ResolvedLimits): string {
  return `limits.${name} (${limits[name]})`;
}

/** The limits under the key `limits` of a configuration. Throws a `ConfigFault`. */
export function limitsIn(fields: Fields, path: ConfigPath): McpLimits | undefined {
  if (fields["limits"] === undefined) {
    return undefined;
  }
  const at = { path: [...path, "limits"], what: "the limits" };
  const given = fieldsAt(fields["limits"], at.path, at.what);
  const names = Object.keys(defaultLimits);
  refuseUnknownKeys(given, names, at);
  const checked = names.map((name) => {
    const unit = /Bytes$/.test(name) ? "bytes" : "things";
    return [name, optionalCount(given, name, { path: at.path, unit })] as const;
  });
  const { maxDefinitionDepth = 0 } = given;
  if (typeof maxDefinitionDepth === "number" && maxDefinitionDepth > deepestDefinition) {
    throw new ConfigFault(
      [...at.path, "maxDefinitionDepth"],
      `"maxDefinitionDepth" must be at most ${deepestDefinition}, got ${maxDefinitionDepth}.`,
    );
  }
  return Object.fromEntries(checked.filter(([, limit]) => limit !== undefined));
}

import { createHash } from "node:crypto";
import { ConfigurationError, DragomanError } from "../base/dragoman-error.ts";
import { isJsonObject, type Json, parseJson } from "../base/json.ts";
import type { Catalogue } from "../tool/catalogue.ts";
import type { StoreKind } from "./store-kind.ts";

/** How long the stores of catalogues in this folder keep one. */
export interface CatalogueAge {
  /**
   * For how long a catalogue is believed that was not seen to be true again, in milliseconds. Runs believe
   * none that is older than a day. Default: a day.
   */
  readonly maxAgeMs?: number;
}

/** The default of {@link CatalogueAge.maxAgeMs}, and the longest. */
const dayMs = 24 * 60 * 60 * 1_000;

/** @throws ConfigurationError where it is no number above 0. */
export function catalogueAge({ maxAgeMs = dayMs }: CatalogueAge): number {
  if (!(Number.isFinite(maxAgeMs) && maxAgeMs > 0)) {
    throw new ConfigurationError(`maxAgeMs is ${maxAgeMs}; it must be a number above 0.`, {
      code: "invalid-configuration",
    });
  }
  return Math.min(maxAgeMs, dayMs);
}

/** Databases that catalogues are kept in. */
export const catalogueKind: StoreKind = {
  what: "catalogues",
  ifUnknown: "it does no harm",
  error: (message, options) => new DragomanError(message, options),
};

/** How a key stands in a store: nobody learns from it what a toolset of an application's puts there. */
export const keyColumn = (key: string): string => createHash("sha256").update(key).digest("hex");

/** The catalogue that a row holds; `undefined` where it holds none, which counts as not known. */
export function toCatalogue(row: Readonly<Record<string, unknown>>): Catalogue | undefined {
  const tools = parseJson(String(row["tools"]));
  return Array.isArray(tools) && tools.every(isTool)
    ? {
        revision: String(row["revision"]),
        time: Number(row["time"]),
        tools: tools as unknown as Catalogue["tools"], // checked just now
      }
    : undefined;
}

const isTool = (value: Json): boolean =>
  isJsonObject(value) &&
  typeof value["name"] === "string" &&
  typeof value["description"] === "string" &&
  isJsonObject(value["parameters"]);

import { canonicalJson } from "../base/canonical-json.ts";
import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import type { AgUiEvent, AgUiPatch } from "./ag-ui-event.ts";

/**
 * Tells a client what the state is, and then what has changed of it. A state that cannot be read is not
 * told: the client keeps what it has, and gets the whole the next time.
 */
export class StateMirror {
  readonly #read: () => Promise<Json | undefined>;
  #known: Json | undefined;

  /** @param read gives the state now; `undefined` where there is none. */
  constructor(read: () => Promise<Json | undefined>) {
    this.#read = read;
  }

  /** The whole state. */
  async snapshot(): Promise<readonly AgUiEvent[]> {
    this.#known = undefined;
    return this.changes();
  }

  /** What has changed since the client was told last. */
  async changes(): Promise<readonly AgUiEvent[]> {
    const known = this.#known;
    const now = await this.#read().catch(() => undefined);
    this.#known = now;
    if (now === undefined) {
      return [];
    }
    if (known === undefined || !isJsonObject(known) || !isJsonObject(now)) {
      return canonicalJson(known) === canonicalJson(now)
        ? []
        : [{ type: "STATE_SNAPSHOT", snapshot: now }];
    }
    const delta = patchOf(known, now);
    return delta.length === 0 ? [] : [{ type: "STATE_DELTA", delta }];
  }
}

/** By whole keys: the patch is small where the state is many small things. */
function patchOf(known: JsonObject, now: JsonObject): readonly AgUiPatch[] {
  const removed = Object.keys(known)
    .filter((key) => known[key] !== undefined && now[key] === undefined)
    .map((key): AgUiPatch => ({ op: "remove", path: pointerTo(key) }));
  const set = Object.entries(now).flatMap(([key, value]): readonly AgUiPatch[] => {
    const before = known[key];
    if (value === undefined || canonicalJson(before) === canonicalJson(value)) {
      return [];
    }
    return [{ op: before === undefined ? "add" : "replace", path: pointerTo(key), value }];
  });
  return [...removed, ...set];
}

/** A JSON Pointer (RFC 6901). */
const pointerTo = (key: string): string => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;

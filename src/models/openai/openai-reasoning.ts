import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";

/** What an answer's delta says of the model's reasoning. */
export interface ReasoningPiece {
  readonly text: string;
  /** The field that the text stood in, to be given back there. */
  readonly field?: string;
  /** Elements of OpenRouter's `reasoning_details`. */
  readonly details?: readonly JsonObject[];
}

/** Fields that servers write reasoning to. Where several are there they say the same. */
const textFields = ["reasoning_content", "reasoning"] as const;

/** The reasoning in a delta, if there is any. */
export function reasoningIn(delta: JsonObject): ReasoningPiece | undefined {
  const field = textFields.find((name) => typeof delta[name] === "string" && delta[name] !== "");
  const given = delta["reasoning_details"];
  const details = Array.isArray(given) ? given.filter(isJsonObject) : [];
  if (field === undefined && details.length === 0) {
    return undefined;
  }
  return {
    text: field === undefined ? details.map(textOfDetail).join("") : `${delta[field]}`,
    ...(field === undefined ? {} : { field }),
    ...(details.length === 0 ? {} : { details }),
  };
}

const textOfDetail = ({ text, summary }: JsonObject): string =>
  typeof text === "string" ? text : typeof summary === "string" ? summary : "";

/**
 * Adds streamed details to those before: pieces of one block are joined, so that the blocks come out
 * as a provider that signs them wants them back.
 */
export function addDetails(blocks: JsonObject[], details: readonly JsonObject[]): void {
  for (const detail of details) {
    const last = blocks.at(-1);
    const isPiece = last !== undefined && isSameBlock(last, detail);
    if (isPiece) {
      blocks[blocks.length - 1] = joinDetail(last, detail);
    } else {
      blocks.push(detail);
    }
  }
}

const isSameBlock = (left: JsonObject, right: JsonObject): boolean =>
  left["type"] === right["type"] &&
  (left["index"] ?? 0) === (right["index"] ?? 0) &&
  (left["id"] ?? null) === (right["id"] ?? left["id"] ?? null) &&
  left["type"] !== "reasoning.encrypted";

const growing = new Set(["text", "summary", "data"]);

function joinDetail(block: JsonObject, detail: JsonObject): JsonObject {
  const joined: Record<string, Json | undefined> = { ...block };
  for (const [key, value] of Object.entries(detail)) {
    const before = joined[key];
    if (growing.has(key) && typeof before === "string" && typeof value === "string") {
      joined[key] = before + value;
    } else if (value !== null) {
      joined[key] = value;
    }
  }
  return joined;
}

import { type Conventions, names } from "./conventions.ts";
import type { OpenAttributes } from "./span-attributes.ts";

/** What a model is called in traces. */
export interface ModelNames {
  /** Gemini's own interface has a name of its own for it. */
  readonly operation: "chat" | "generate_content";
  /** Who has the model, in the conventions' words. */
  readonly provider: string;
  /** As its provider calls it. */
  readonly model: string;
  readonly spanName: string;
  /** Whether there is no network between: the offline model. */
  readonly isInProcess: boolean;
}

/** The names of a model by its id, as in `openai:gpt-5`; a model without a prefix is its own provider. */
export function modelNamesOf(id: string): ModelNames {
  const kept = known.get(id);
  if (kept !== undefined) {
    return kept;
  }
  const names = readNames(id);
  if (known.size >= mostKnown) {
    known.clear(); // ids that somebody makes anew for each call
  }
  known.set(id, names);
  return names;
}

/** Adds who has a model and what it is called there. */
export function putModel(
  attributes: OpenAttributes,
  id: string,
  { providerName }: Conventions,
): void {
  const { provider, model } = modelNamesOf(id);
  for (const key of providerName) {
    attributes[key] = provider;
  }
  attributes[names.requestModel] = model;
}

/** An application has few models, and each of them many calls. */
const known = new Map<string, ModelNames>();
const mostKnown = 100;

function readNames(id: string): ModelNames {
  const colon = id.indexOf(":");
  const prefix = colon > 0 ? id.slice(0, colon) : id;
  const model = colon > 0 ? id.slice(colon + 1) : id;
  const operation = prefix === "gemini" ? "generate_content" : "chat";
  return {
    operation,
    provider: providers.get(prefix) ?? prefix,
    model,
    spanName: `${operation} ${model}`,
    isInProcess: prefix === "offline",
  };
}

/** The names that the conventions have for providers, where they differ from our prefixes. */
const providers: ReadonlyMap<string, string> = new Map([
  ["gemini", "gcp.gemini"],
  ["google", "gcp.gemini"],
  ["bedrock", "aws.bedrock"],
  ["azure", "azure.ai.openai"],
  ["mistral", "mistral_ai"],
  ["xai", "x_ai"],
]);

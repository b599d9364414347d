import { type Conventions, names } from "./conventions.ts";
import type { OpenAttributes } from "./span-attributes.ts";

/** What a model is called in traces. */
export interface ModelNames {
  /** Gemini's own interface has a name of its own for it. */
  readonly operation: "chat" | "generate_content";
  /** Who has the model, in the conventions' words. */
  readonly provider: string;
  /** The same in the words of the first conventions. */
  readonly system: string;
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
  const read = readNames(id);
  if (known.size >= mostKnown) {
    known.clear(); // ids that somebody makes anew for each call
  }
  known.set(id, read);
  return read;
}

/** Adds who has a model and what it is called there. */
export function putModel(attributes: OpenAttributes, id: string, { hasSystem }: Conventions): void {
  const { provider, system, model } = modelNamesOf(id);
  attributes[names.provider] = provider;
  if (hasSystem) {
    attributes[names.system] = system;
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
  const provider = providers.get(prefix) ?? prefix;
  return {
    operation,
    provider,
    system: provider === "x_ai" ? "xai" : provider,
    model,
    spanName: `${operation} ${model}`,
    isInProcess: prefix === "offline",
  };
}

/**
 * The names that the conventions have for providers, where they differ from our prefixes. Whoever speaks
 * OpenAI's protocol counts as OpenAI, as the conventions want it: `server.address` says who it is.
 */
const providers: ReadonlyMap<string, string> = new Map([
  ["openai-compatible", "openai"],
  ["gemini", "gcp.gemini"],
  ["google", "gcp.gemini"],
  ["vertex", "gcp.vertex_ai"],
  ["bedrock", "aws.bedrock"],
  ["azure", "azure.ai.openai"],
  ["mistral", "mistral_ai"],
  ["moonshot", "moonshot_ai"],
  ["watsonx", "ibm.watsonx.ai"],
  ["xai", "x_ai"],
]);

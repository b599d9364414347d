import type { ChosenModel } from "./agent/agent-runtime.ts";
import { closestName, didYouMean } from "./base/closest-name.ts";
import { ConfigurationError } from "./base/dragoman-error.ts";
import type { Model } from "./model/model.ts";

/** Where keys and hosts are looked up. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What an id of this provider is made into. */
interface ProviderModel {
  readonly id: string;
  /** The provider's name of the model. */
  readonly model: string;
  readonly apiKey: string;
  readonly env: Environment;
}

/** A provider that ids may name. */
interface Provider {
  /** An id to show in errors. */
  readonly example: string;
  /** Variables that may hold the key, in order; none where no key is needed. */
  readonly keys: readonly string[];
  readonly make: (options: ProviderModel) => Promise<Model>;
}

const openAiAt =
  (baseUrlOf: (env: Environment) => string) =>
  async ({ env, ...options }: ProviderModel): Promise<Model> => {
    const { openAiCompatible } = await import("./models/openai/openai-compatible.ts");
    return openAiCompatible({ ...options, baseUrl: baseUrlOf(env) });
  };

/** Base URLs may be set by the variables that the providers' own libraries know. */
const providers: Readonly<Record<string, Provider>> = {
  gemini: {
    example: "gemini:gemini-3.5-flash",
    keys: ["GOOGLE_API_KEY", "GEMINI_API_KEY"],
    make: async ({ env, ...options }) => {
      const { gemini } = await import("./models/gemini/gemini.ts");
      const base = env["GOOGLE_GEMINI_BASE_URL"]?.replace(/\/+$/, "");
      return gemini({ ...options, ...(base && { baseUrl: `${base}/v1beta` }) });
    },
  },
  openai: {
    example: "openai:gpt-5",
    keys: ["OPENAI_API_KEY"],
    make: openAiAt((env) => env["OPENAI_BASE_URL"] ?? "https://api.openai.com/v1"),
  },
  anthropic: {
    example: "anthropic:claude-sonnet-5-5",
    keys: ["ANTHROPIC_API_KEY"],
    make: async ({ env, ...options }) => {
      const { anthropic } = await import("./models/anthropic/anthropic.ts");
      const baseUrl = env["ANTHROPIC_BASE_URL"];
      return anthropic({ ...options, ...(baseUrl && { baseUrl }) });
    },
  },
  openrouter: {
    example: "openrouter:qwen/qwen3-32b",
    keys: ["OPENROUTER_API_KEY"],
    make: openAiAt(() => "https://openrouter.ai/api/v1"),
  },
  ollama: {
    example: "ollama:qwen3",
    keys: [],
    make: async ({ id, model, env }) => {
      const { ollama } = await import("./models/ollama/ollama.ts");
      const { localOllama } = await import("./models/ollama/ollama-host.ts");
      const { ollamaCapabilities } = await import("./models/ollama/ollama-probe.ts");
      const host = env["OLLAMA_HOST"] || localOllama;
      return ollama({ id, model, host, capabilities: await ollamaCapabilities(host, model) });
    },
  },
};

/**
 * The model that an id names: `offline`, or a provider, a colon and its model.
 *
 * @throws ConfigurationError `unknown-model`; `missing-api-key` where the provider's key is not set.
 */
export async function modelOfId(id: string, env: Environment): Promise<ChosenModel> {
  if (id === "offline") {
    const { offlineModel, offlineNotice } = await import("./models/offline/offline-model.ts");
    const notice = { code: "offline-model", message: offlineNotice } as const;
    return { model: offlineModel(), notices: [notice] };
  }
  const provider = providerOf(id);
  const model = id.slice(id.indexOf(":") + 1);
  if (provider === undefined || !isModelId(id)) {
    throw unknownModel(id);
  }
  const apiKey = keyFor(id, env);
  if (provider.keys.length > 0 && apiKey === undefined) {
    throw missingKey(id, provider.keys);
  }
  return { model: await provider.make({ id, model, apiKey: apiKey ?? "", env }) };
}

/** The key in the environment of the provider that an id names. */
export const keyFor = (id: string, env: Environment): string | undefined =>
  providerOf(id)
    ?.keys.map((name) => env[name])
    .find((key) => key);

function providerOf(id: string): Provider | undefined {
  const name = id.slice(0, Math.max(id.indexOf(":"), 0));
  return Object.hasOwn(providers, name) ? providers[name] : undefined;
}

/** Whether an id is of the form that {@link modelOfId} knows; a key may still be missing. */
export const isModelId = (id: string): boolean =>
  id === "offline" || (providerOf(id) !== undefined && id.indexOf(":") < id.length - 1);

/** `There is no model …`, and which ids there are. */
export function noSuchModel(id: string): string {
  const examples = Object.values(providers).map(({ example }) => `"${example}"`);
  return `There is no model "${id}".${meantModel(id)} Use "offline", or a provider and its model, such as ${examples.join(", ")}`;
}

/** A misspelt provider, or none before a model whose maker is known. */
function meantModel(id: string): string {
  const [provider = "", ...model] = id.split(":");
  if (model.length > 0) {
    const meant = closestName(provider, Object.keys(providers));
    return meant === undefined || meant === provider
      ? ""
      : ` Did you mean "${meant}:${model.join(":")}"?`;
  }
  if (Object.hasOwn(providers, provider)) {
    return ` "${provider}" is a provider: which model of it? Such as "${providers[provider]?.example}".`;
  }
  const maker = makers.find(([pattern]) => pattern.test(id))?.[1];
  return maker === undefined ? didYouMean(id, ["offline"]) : ` Did you mean "${maker}:${id}"?`;
}

/** Whose model a name without a provider is. */
const makers: readonly (readonly [pattern: RegExp, provider: string])[] = [
  [/^(?:gpt|o\d|chatgpt)/i, "openai"],
  [/^claude-/i, "anthropic"],
  [/^gemini-/i, "gemini"],
];

const missingKey = (id: string, keys: readonly string[]): ConfigurationError =>
  new ConfigurationError(
    `Model "${id}" needs an API key: set ${keys.join(" or ")} in the environment, where it is missing or empty, or use the model "offline", which needs none.`,
    { code: "missing-api-key" },
  );

const unknownModel = (id: string): ConfigurationError =>
  new ConfigurationError(
    `${noSuchModel(id)}; for any other server that speaks OpenAI's protocol, pass openAiCompatible({ baseUrl, model }) from "dragoman/models"; for any other provider, configure({ models }).`,
    { code: "unknown-model" },
  );

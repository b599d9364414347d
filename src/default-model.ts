import type { ChosenModel } from "./agent/agent-runtime.ts";
import type { Clock } from "./base/clock.ts";
import { ConfigurationError } from "./base/dragoman-error.ts";
import { isJsonObject, parseJson } from "./base/json.ts";
import type { Model } from "./model/model.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** What the choice of a model depends on. */
export interface ModelChooserOptions {
  /** The configured default. */
  readonly model: string | Model | undefined;
  readonly env: Environment;
  readonly clock: Clock;
}

/** A provider that is spoken to in OpenAI's chat-completions form. */
interface Provider {
  /** An id to show in errors. */
  readonly example: string;
  /** Variables that may hold the key, in order; none where no key is needed. */
  readonly keys: readonly string[];
  readonly baseUrl: (env: Environment) => string;
}

const defaultGemini = "gemini-3.5-flash";

const providers: Readonly<Record<string, Provider>> = {
  openai: {
    example: "openai:gpt-5",
    keys: ["OPENAI_API_KEY"],
    baseUrl: (env) => env["OPENAI_BASE_URL"] ?? "https://api.openai.com/v1",
  },
  gemini: {
    example: `gemini:${defaultGemini}`,
    keys: ["GOOGLE_API_KEY", "GEMINI_API_KEY"],
    baseUrl: () => "https://generativelanguage.googleapis.com/v1beta/openai",
  },
  openrouter: {
    example: "openrouter:qwen/qwen3-32b",
    keys: ["OPENROUTER_API_KEY"],
    baseUrl: () => "https://openrouter.ai/api/v1",
  },
  ollama: {
    example: "ollama:qwen3",
    keys: [],
    baseUrl: (env) => `${ollamaHost(env)}/v1`,
  },
};

/** How long the answer to "is Ollama there?" holds, and how long it may take, in milliseconds. */
const ollamaVerdictMs = 30_000;
const ollamaProbeMs = 500;

/**
 * Makes the function that finds a run's model: the one that its id names; else the configured one;
 * else Gemini where `GOOGLE_API_KEY` or `GEMINI_API_KEY` is set; else the newest model of the Ollama
 * server, where one answers; else the offline model. A choice that nobody made is told by a notice.
 */
export function createModelChooser(
  options: ModelChooserOptions,
): (wanted: string | undefined) => Promise<ChosenModel> {
  let probe: { readonly at: number; readonly model: Promise<string | undefined> } | undefined;
  const installedModel = (): Promise<string | undefined> => {
    const now = options.clock.now();
    if (probe === undefined || now - probe.at > ollamaVerdictMs) {
      probe = { at: now, model: newestOllamaModel(options.env) };
    }
    return probe.model;
  };
  return async (wanted) => {
    const chosen = wanted ?? options.model;
    if (typeof chosen === "object") {
      return { model: chosen };
    }
    return chosen === undefined
      ? chooseDefault(options.env, installedModel)
      : named(chosen, options.env);
  };
}

async function chooseDefault(
  env: Environment,
  installedModel: () => Promise<string | undefined>,
): Promise<ChosenModel> {
  const key = providers["gemini"]?.keys.find((name) => env[name]);
  if (key !== undefined) {
    const { model } = await named(`gemini:${defaultGemini}`, env);
    return noticed(model, `Using ${model.id}, since ${key} is set and no model was chosen.`);
  }
  const installed = await installedModel();
  if (installed !== undefined) {
    const { model } = await named(`ollama:${installed}`, env);
    return noticed(model, `Using ${model.id}, since Ollama answers at ${ollamaHost(env)}.`);
  }
  return named("offline", env);
}

const noticed = (model: Model, message: string): ChosenModel => ({
  model,
  notices: [{ code: "default-model", message }],
});

async function named(id: string, env: Environment): Promise<ChosenModel> {
  if (id === "offline") {
    const { offlineModel, offlineNotice } = await import("./models/offline/offline-model.ts");
    const notice = { code: "offline-model", message: offlineNotice };
    return { model: offlineModel(), notices: [notice] };
  }
  const separator = id.indexOf(":");
  const provider = providers[id.slice(0, Math.max(separator, 0))];
  const model = id.slice(separator + 1);
  if (provider === undefined || model === "") {
    throw unknownModel(id);
  }
  const apiKey = provider.keys.map((name) => env[name]).find((key) => key);
  if (provider.keys.length > 0 && apiKey === undefined) {
    throw new ConfigurationError(
      `Model "${id}" needs an API key: set ${provider.keys.join(" or ")}, or use the model "offline".`,
      { code: "unknown-model" },
    );
  }
  const { openAiCompatible } = await import("./models/openai-compatible.ts");
  const baseUrl = provider.baseUrl(env);
  return { model: openAiCompatible({ id, model, baseUrl, ...(apiKey && { apiKey }) }) };
}

function unknownModel(id: string): ConfigurationError {
  const examples = Object.values(providers).map(({ example }) => `"${example}"`);
  return new ConfigurationError(
    `There is no model "${id}". Use "offline", or a provider and its model, such as ${examples.join(", ")}; for any other server that speaks OpenAI's protocol, pass openAiCompatible({ baseUrl, model }) from "dragoman/models".`,
    { code: "unknown-model" },
  );
}

function ollamaHost(env: Environment): string {
  const host = (env["OLLAMA_HOST"] ?? "").replace(/\/+$/, "");
  if (host === "") {
    return "http://localhost:11434";
  }
  return host.includes("://") ? host : `http://${host}`;
}

/** The model that was pulled last; `undefined` where no Ollama answers or it has no model. */
async function newestOllamaModel(env: Environment): Promise<string | undefined> {
  const { sendHttpRequest } = await import("./http/http-request.ts");
  try {
    const response = await sendHttpRequest({
      method: "GET",
      url: `${ollamaHost(env)}/api/tags`,
      connectTimeoutMs: ollamaProbeMs,
      readTimeoutMs: ollamaProbeMs,
    });
    const body = parseJson(await response.text());
    const models = isJsonObject(body) && Array.isArray(body["models"]) ? body["models"] : [];
    const [newest] = models
      .filter(isJsonObject)
      .toSorted((left, right) => `${right["modified_at"]}`.localeCompare(`${left["modified_at"]}`));
    return typeof newest?.["name"] === "string" ? newest["name"] : undefined;
  } catch {
    return undefined; // whatever is wrong there, it is not a usable Ollama
  }
}

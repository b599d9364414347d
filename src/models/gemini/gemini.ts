import { ConfigurationError } from "../../base/dragoman-error.ts";
import type { Model } from "../../model/model.ts";
import { environment } from "../provider/environment.ts";
import { toProviderConnection, urlBelow } from "../provider/provider-connection.ts";
import { providerKey } from "../provider/provider-data.ts";
import { createProviderModel } from "../provider/provider-model.ts";
import type { ProviderOptions } from "../provider/provider-options.ts";
import { createToolRenderer } from "../provider/tool-renderer.ts";
import { geminiAnswers } from "./gemini-answer.ts";
import { hasThoughts } from "./gemini-generation.ts";
import { type GeminiRequestScope, renderGeminiRequest, toDeclaration } from "./gemini-request.ts";

/** A model of Google's Gemini API. */
export interface GeminiOptions extends ProviderOptions {
  /** Such as `gemini-3.5-flash`; a name with a slash (`tunedModels/x`) is a path below `baseUrl`. */
  readonly model: string;
  /**
   * Default: `GOOGLE_API_KEY`, else `GEMINI_API_KEY` of the environment, which are sent to Google only:
   * with another `baseUrl` the key has to be given.
   */
  readonly apiKey?: string | (() => string | Promise<string>);
  /** What stands before `/models`. Default `https://generativelanguage.googleapis.com/v1beta`. */
  readonly baseUrl?: string | URL;
  /** Whether summaries of the model's thoughts are asked for. Default: of models that have them. */
  readonly thoughts?: boolean;
}

const google = "https://generativelanguage.googleapis.com/v1beta";

/**
 * A Gemini model through `streamGenerateContent`. Thought signatures ride on the parts that they came
 * with; a call of another provider's model, which has none, gets the mark with which Google skips the
 * check. A prompt that Google blocks is `model-refused`; an answer that it stops has the finish reason
 * `content-filter`; a call that the model wrote so badly that Google cannot read it may be tried again.
 *
 * @throws ConfigurationError where the model, the URL or the key cannot be used.
 */
export function gemini(options: GeminiOptions): Model {
  const { baseUrl = google, thoughts } = options;
  const apiKey = options.apiKey ?? ownKey(options);
  const connection = toProviderConnection(
    { ...options, baseUrl, ...(apiKey === undefined ? {} : { apiKey }) },
    {
      maker: "gemini",
      prefix: "gemini",
      urlOption: "baseUrl",
      options: ["baseUrl", "thoughts"],
      exampleUrl: google,
    },
  );
  const { model, base, stream } = connection;
  const capabilities = {
    tools: true,
    images: true,
    audio: true,
    documents: true,
    jsonSchema: true,
    ...options.capabilities,
  };
  const scope: GeminiRequestScope = {
    provider: providerKey("gemini", base),
    model,
    images: capabilities.images,
    thoughts: thoughts ?? hasThoughts(model),
    extraBody: options.extraBody ?? {},
    renderTools: createToolRenderer(toDeclaration),
  };
  const path = model.includes("/") ? `/${model}` : `/models/${encodeURIComponent(model)}`;
  const method = stream ? "streamGenerateContent?alt=sse" : "generateContent";
  return createProviderModel(connection, capabilities, {
    ...geminiAnswers(scope.provider),
    url: urlBelow(connection, `${path}:${method}`),
    keyHeaders: (key) => ({ "x-goog-api-key": key }),
    renderRequest: (request) => renderGeminiRequest(request, scope),
  });
}

/** The environment's key, which goes to nobody but Google. */
function ownKey({ model, baseUrl, headers }: GeminiOptions): string | undefined {
  if (baseUrl !== undefined) {
    return undefined;
  }
  const env = environment();
  const key = env["GOOGLE_API_KEY"] || env["GEMINI_API_KEY"];
  if (!key && headers === undefined) {
    throw new ConfigurationError(
      `The model "gemini:${model}" needs an API key: give apiKey, or set GOOGLE_API_KEY or GEMINI_API_KEY in the environment.`,
      { code: "missing-api-key" },
    );
  }
  return key;
}

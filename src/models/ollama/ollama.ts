import type { JsonObject } from "../../base/json.ts";
import type { Model } from "../../model/model.ts";
import { toWireTool } from "../openai/openai-request.ts";
import { environment } from "../provider/environment.ts";
import { toOpenAiSchema } from "../provider/json-schema-dialect.ts";
import { toProviderConnection, urlBelow } from "../provider/provider-connection.ts";
import { providerKey } from "../provider/provider-data.ts";
import { createProviderModel } from "../provider/provider-model.ts";
import type { ProviderOptions } from "../provider/provider-options.ts";
import { createToolRenderer } from "../provider/tool-renderer.ts";
import { ollamaAnswers } from "./ollama-answer.ts";
import { localOllama, toOllamaUrl } from "./ollama-host.ts";
import { type OllamaRequestScope, renderOllamaRequest } from "./ollama-request.ts";

/** A model that an Ollama server runs. */
export interface OllamaOptions extends ProviderOptions {
  /** Where Ollama is: a URL, or `host:port`. Default: `OLLAMA_HOST`, else `http://localhost:11434`. */
  readonly host?: string | URL;
  /** What a run is set up with: `num_ctx`, `seed`, `top_k` and so on. */
  readonly options?: JsonObject;
  /** How long the model stays loaded: `"5m"`, seconds, `-1` for ever, `0` not at all. */
  readonly keepAlive?: string | number;
  /** Whether (or how hard) the model thinks, unless a request says so. Models that cannot refuse it. */
  readonly think?: boolean | "low" | "medium" | "high";
  /** How JSON of a schema is asked for: by the schema (default), or as any JSON. */
  readonly structuredOutput?: "schema" | "json";
}

/**
 * A model of an Ollama server, through its own `/api/chat`. Ollama holds a model to JSON or lets it call
 * tools, not both: beside tools, JSON is asked for in words. It knows no `toolChoice`: with `"none"` the
 * tools are left out, `"required"` is not held. Pictures have to be here; those behind a URL become a
 * note.
 *
 * @throws ConfigurationError where the model or the host cannot be used.
 */
export function ollama(options: OllamaOptions): Model {
  const { structuredOutput = "schema" } = options;
  const connection = toProviderConnection(
    { ...options, baseUrl: toOllamaUrl(options.host ?? environment()["OLLAMA_HOST"]) },
    {
      maker: "ollama",
      prefix: "ollama",
      urlOption: "host",
      // The last is what the host becomes.
      options: ["host", "options", "keepAlive", "think", "structuredOutput", "baseUrl"],
      exampleUrl: localOllama,
      advice: {
        "model-not-found": `Pull it with "ollama pull ${options.model}", or choose one that "ollama list" shows.`,
        "model-unreachable":
          'Start Ollama with "ollama serve", or say by OLLAMA_HOST, or the option host, where it runs.',
      },
    },
  );
  const { model, base, stream } = connection;
  const capabilities = {
    tools: true,
    images: true,
    jsonSchema: structuredOutput === "schema",
    ...options.capabilities,
  };
  const scope: OllamaRequestScope = {
    provider: providerKey("ollama", base),
    model,
    stream,
    images: capabilities.images,
    structuredOutput,
    options: options.options ?? {},
    keepAlive: options.keepAlive,
    think: options.think,
    extraBody: options.extraBody ?? {},
    renderTools: createToolRenderer((tool) => toWireTool(tool, toOpenAiSchema)),
  };
  return createProviderModel(connection, capabilities, {
    ...ollamaAnswers(scope.provider),
    url: urlBelow(connection, "/api/chat"),
    keyHeaders: (key) => ({ authorization: `Bearer ${key}` }),
    renderRequest: (request) => renderOllamaRequest(request, scope),
  });
}

import { checkNumbers } from "../../base/check-numbers.ts";
import { ConfigurationError } from "../../base/dragoman-error.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Model } from "../../model/model.ts";
import { environment } from "../provider/environment.ts";
import { toProviderConnection, urlBelow } from "../provider/provider-connection.ts";
import { providerKey } from "../provider/provider-data.ts";
import { createProviderModel } from "../provider/provider-model.ts";
import type { ProviderOptions } from "../provider/provider-options.ts";
import { createToolRenderer } from "../provider/tool-renderer.ts";
import { anthropicAnswers } from "./anthropic-answer.ts";
import {
  type AnthropicRequestScope,
  renderAnthropicRequest,
  toAnthropicTool,
} from "./anthropic-request.ts";

/** A model of Anthropic's messages API. */
export interface AnthropicOptions extends ProviderOptions {
  /**
   * Default: `ANTHROPIC_API_KEY` of the environment, which is sent to Anthropic only: with another
   * `baseUrl` the key has to be given.
   */
  readonly apiKey?: string | (() => string | Promise<string>);
  /** What stands before `/v1/messages`. Default `https://api.anthropic.com`. */
  readonly baseUrl?: string | URL;
  /** The longest answer, thoughts included, where a request does not say. Default 16 384. */
  readonly maxOutputTokens?: number;
  /** The API's `thinking` field, sent unless a request asks for an effort. Default: as the model has it. */
  readonly thinking?: JsonObject;
  /**
   * Whether the start of a conversation with tools is kept in Anthropic's cache from step to step. What
   * is written costs a quarter more, what is read a tenth. Default true.
   */
  readonly cache?: boolean;
}

const home = "https://api.anthropic.com";

/**
 * A Claude model through the messages API. Thinking blocks go back with their signatures, tool results
 * with their pictures and documents. JSON of a schema is held by the provider where it can say the
 * schema and the model is not older than Claude 4.1.
 *
 * @throws ConfigurationError where the model, the URL or the key cannot be used.
 */
export function anthropic(options: AnthropicOptions): Model {
  const { baseUrl = home } = options;
  const apiKey = options.apiKey ?? ownKey(options);
  const connection = toProviderConnection(
    { ...options, baseUrl, ...(apiKey === undefined ? {} : { apiKey }) },
    {
      maker: "anthropic",
      prefix: "anthropic",
      urlOption: "baseUrl",
      options: ["baseUrl", "maxOutputTokens", "thinking", "cache"],
      exampleUrl: home,
    },
  );
  const { model, base, stream } = connection;
  const place = { where: `of model "${connection.id}"` };
  checkNumbers(options, { maxOutputTokens: "count" }, place);
  const capabilities = {
    tools: true,
    images: true,
    documents: true,
    jsonSchema: hasStructuredOutputs(model),
    ...options.capabilities,
  };
  const scope: AnthropicRequestScope = {
    provider: providerKey("anthropic", base),
    model,
    stream,
    images: capabilities.images,
    jsonSchema: capabilities.jsonSchema,
    maxOutputTokens: options.maxOutputTokens ?? 16_384,
    thinking: options.thinking,
    cache: options.cache ?? true,
    extraBody: options.extraBody ?? {},
    renderTools: createToolRenderer(toAnthropicTool),
  };
  const versioned = { "anthropic-version": "2023-06-01", ...connection.headers };
  return createProviderModel({ ...connection, headers: versioned }, capabilities, {
    ...anthropicAnswers(scope.provider),
    url: urlBelow(connection, "/v1/messages"),
    keyHeaders: (key) => ({ "x-api-key": key }),
    renderRequest: (request) => renderAnthropicRequest(request, scope),
  });
}

const hasStructuredOutputs = (model: string): boolean =>
  !/claude-(?:[123]|instant|(?:opus|sonnet)-4(?:-0|-\d{8})?$)/.test(model);

/** The environment's key, which goes to nobody but Anthropic. */
function ownKey({ model, baseUrl, headers }: AnthropicOptions): string | undefined {
  if (baseUrl !== undefined) {
    return undefined;
  }
  const key = environment()["ANTHROPIC_API_KEY"];
  if (!key && headers === undefined) {
    throw new ConfigurationError(
      `The model "anthropic:${model}" needs an API key: give apiKey, or set ANTHROPIC_API_KEY in the environment.`,
      { code: "missing-api-key" },
    );
  }
  return key;
}

import { untilAborted } from "../base/abort.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { redactUrl } from "../base/redact-url.ts";
import type { HttpRequest } from "../http/http-request.ts";
import type { ModelCapabilities } from "../model/model.ts";
import { ModelError } from "../model/model-error.ts";
import { toOpenAiSchema } from "./json-schema-dialect.ts";
import { toGeminiSchema } from "./json-schema-gemini.ts";
import type { OpenAiCompatibleOptions } from "./openai-options.ts";
import { providerKey } from "./openai-provider-data.ts";
import type { RequestScope } from "./openai-request.ts";
import { createToolRenderer } from "./openai-tools.ts";
import type { ProviderScope } from "./provider-error.ts";

/** Checked options, and all that does not change from request to request. */
export interface Connection {
  readonly id: string;
  readonly capabilities: ModelCapabilities;
  /** Where completions are asked for. */
  readonly url: URL;
  readonly http: Pick<
    HttpRequest,
    "tls" | "proxy" | "connectTimeoutMs" | "readTimeoutMs" | "maxResponseBytes"
  >;
  readonly request: RequestScope;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly apiKey: OpenAiCompatibleOptions["apiKey"];
  /** Without the key, which may change. */
  readonly scope: ProviderScope;
}

/** @throws ConfigurationError where the options cannot be used. */
export function toConnection(options: OpenAiCompatibleOptions): Connection {
  const { model, stream = true, tls, proxy } = options;
  if (typeof model !== "string" || model === "") {
    throw invalidOptions("openAiCompatible needs a model: the server's name of it, as a text.");
  }
  const { id = `openai-compatible:${model}` } = options;
  const base = toBaseUrl(options, id);
  const { structuredOutput = "json_schema" } = options;
  const jsonSchema = structuredOutput === "json_schema";
  const capabilities = { tools: true, images: true, jsonSchema, ...options.capabilities };
  const isGemini =
    options.schemaDialect === "gemini" || (options.schemaDialect === undefined && isGoogle(base));
  const toDialect = isGemini ? toGeminiSchema : toOpenAiSchema;
  const headers = lowerCase(options.headers ?? {});
  return {
    id,
    capabilities,
    url: completionsUrl(base),
    http: {
      ...(tls === undefined ? {} : { tls }),
      ...(proxy === undefined ? {} : { proxy }),
      connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
      readTimeoutMs: options.readTimeoutMs ?? (stream ? 120_000 : 600_000),
      maxResponseBytes: options.maxResponseBytes ?? 64 * 1024 * 1024,
    },
    request: {
      model,
      stream,
      provider: providerKey(base),
      images: capabilities.images,
      maxTokensField: options.maxTokensField ?? maxTokensFieldOf(base),
      extraBody: options.extraBody ?? {},
      renderTools: createToolRenderer(toDialect),
      structuredOutput,
      toDialect,
    },
    headers,
    apiKey: options.apiKey,
    scope: {
      what: `model "${id}" at ${redactUrl(base)}`,
      secrets: [...Object.values(headers).flatMap(secretsIn), ...secretsOf(base)],
    },
  };
}

/**
 * The headers of one request, and the scope of its errors.
 *
 * @throws ModelError `model-unauthorized` where the key cannot be had; the signal's reason.
 */
export async function authorize(
  connection: Connection,
  signal: AbortSignal,
): Promise<{ readonly headers: Readonly<Record<string, string>>; readonly scope: ProviderScope }> {
  const { apiKey, scope, request } = connection;
  const key = typeof apiKey === "function" ? await askForKey(apiKey, connection, signal) : apiKey;
  const bearer = checkKey(key, connection.id);
  const headers = {
    accept: request.stream ? "text/event-stream" : "application/json",
    "content-type": "application/json",
    ...(bearer === "" ? {} : { authorization: `Bearer ${bearer}` }),
    ...connection.headers,
  };
  return bearer === ""
    ? { headers, scope }
    : { headers, scope: { ...scope, secrets: [...scope.secrets, bearer] } };
}

async function askForKey(
  apiKey: () => string | Promise<string>,
  { id }: Connection,
  signal: AbortSignal,
): Promise<string> {
  try {
    return await untilAborted(askAsync(apiKey), signal);
  } catch (cause) {
    signal.throwIfAborted();
    // What was thrown may name the key: it is the cause, and no part of the message.
    const message = `The function that gives the API key of model "${id}" has failed.`;
    throw new ModelError(message, { code: "model-unauthorized", cause });
  }
}

/** What `apiKey` throws at once is a rejection as well. */
const askAsync = async (apiKey: () => string | Promise<string>): Promise<string> => apiKey();

/** A line end after the key, as files have it, is taken off. */
function checkKey(key: string | undefined, id: string): string {
  const bearer = key?.trim() ?? "";
  if (/[^\u0021-\u007e]/.test(bearer)) {
    throw invalidOptions(
      `The API key of model "${id}" holds characters that no key can hold, such as spaces. Copy it anew.`,
    );
  }
  return bearer;
}

function toBaseUrl(
  { baseUrl, apiKey, headers, ...options }: OpenAiCompatibleOptions,
  id: string,
): URL {
  const base = typeof baseUrl === "string" ? URL.parse(baseUrl) : baseUrl;
  if (base === null || !/^https?:$/.test(base.protocol)) {
    throw invalidOptions(
      `The baseUrl of model "${id}" is no http: or https: URL. Give one such as "https://api.openai.com/v1".`,
    );
  }
  const hasCredential =
    Boolean(apiKey) || base.password !== "" || Object.keys(headers ?? {}).some(isCredential);
  if (
    base.protocol === "http:" &&
    hasCredential &&
    !isLoopback(base) &&
    !options.allowInsecureHttp
  ) {
    throw invalidOptions(
      `Model "${id}" would send its credential unencrypted to ${base.host}. Use an https: URL, or set allowInsecureHttp: true.`,
    );
  }
  if (typeof apiKey === "string") {
    checkKey(apiKey, id);
  }
  return base;
}

function completionsUrl(base: URL): URL {
  const url = new URL(base);
  url.pathname = `${base.pathname.replace(/\/+$/, "")}/chat/completions`;
  return url;
}

const isCredential = (header: string): boolean =>
  /auth|key|token|secret|cookie|password/i.test(header);

const isLoopback = ({ hostname }: URL): boolean =>
  /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);

const maxTokensFieldOf = ({ hostname }: URL): RequestScope["maxTokensField"] =>
  /(?:^|\.)openai\.com$|\.azure\.com$/.test(hostname) ? "max_completion_tokens" : "max_tokens";

const isGoogle = ({ hostname }: URL): boolean => /(?:^|\.)googleapis\.com$/.test(hostname);

const lowerCase = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** The value of a header, and what stands in it after a scheme such as `Bearer`. */
const secretsIn = (value: string): readonly string[] => [value, ...value.split(" ").slice(1)];

function secretsOf(url: URL): readonly string[] {
  if (url.password === "") {
    return [...url.searchParams.values()];
  }
  const [username, password] = [decode(url.username), decode(url.password)];
  const basic = Buffer.from(`${username}:${password}`).toString("base64");
  return [password, basic, ...url.searchParams.values()];
}

/** Percent-encoded text; what is none stands for itself. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const invalidOptions = (message: string): ConfigurationError =>
  new ConfigurationError(message, { code: "invalid-configuration" });

import { untilAborted } from "../../base/abort.ts";
import { refuseUnknownKeys } from "../../base/check-object.ts";
import { ConfigurationError } from "../../base/dragoman-error.ts";
import { isLoopbackHost } from "../../base/loopback-host.ts";
import { redactUrl } from "../../base/redact-url.ts";
import { checkHttpLimits, type HttpRequest } from "../../http/http-request.ts";
import { ModelError } from "../../model/model-error.ts";
import { adviceFor, type ProviderAdvice } from "./provider-advice.ts";
import type { ProviderScope } from "./provider-error.ts";
import type { ProviderOptions } from "./provider-options.ts";

/** Checked options, and all that does not change from request to request. */
export interface ProviderConnection {
  readonly id: string;
  /** The provider's name of the model. */
  readonly model: string;
  /** What the paths of requests are put behind; with its query. */
  readonly base: URL;
  readonly stream: boolean;
  readonly http: Pick<
    HttpRequest,
    "tls" | "proxy" | "connectTimeoutMs" | "readTimeoutMs" | "maxResponseBytes"
  >;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly apiKey: ProviderOptions["apiKey"];
  /** Without the key, which may change. */
  readonly scope: ProviderScope;
}

/** What the options of one provider are called. */
export interface ProviderNames {
  /** The function that makes its models, for messages. */
  readonly maker: string;
  /** What stands before the colon of an id. */
  readonly prefix: string;
  /** The option that the URL is given in. */
  readonly urlOption: string;
  /** The options that only this provider has. */
  readonly options: readonly string[];
  readonly exampleUrl: string;
  /** What to do about failures, where this provider's own tools help. */
  readonly advice?: ProviderAdvice;
}

/** @throws ConfigurationError where the options cannot be used. */
export function toProviderConnection(
  options: ProviderOptions & { readonly baseUrl: string | URL },
  names: ProviderNames,
): ProviderConnection {
  checkOptions(options, names);
  const { model, stream = true, tls, proxy, apiKey } = options;
  if (typeof model !== "string" || model === "") {
    throw invalidOptions(`${names.maker} needs a model: the server's name of it, as a text.`);
  }
  const { id = `${names.prefix}:${model}` } = options;
  const base = toBaseUrl(options, id, names);
  checkHttpLimits(options, `of model "${id}"`);
  const headers = lowerCase(options.headers ?? {});
  return {
    id,
    model,
    base,
    stream,
    http: {
      ...(tls === undefined ? {} : { tls }),
      ...(proxy === undefined ? {} : { proxy }),
      connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
      readTimeoutMs: options.readTimeoutMs ?? (stream ? 120_000 : 600_000),
      maxResponseBytes: options.maxResponseBytes ?? 64 * 1024 * 1024,
    },
    headers,
    apiKey,
    scope: {
      what: `model "${id}" at ${redactUrl(base)}`,
      secrets: [...Object.values(headers).flatMap(secretsIn), ...secretsOf(base)],
      advice: adviceFor({
        base,
        urlOption: names.urlOption,
        hasProxy: proxy !== undefined,
        own: names.advice,
      }),
    },
  };
}

/** Every option that all have, so that the compiler misses none here. */
const commonOptions: Readonly<Record<keyof ProviderOptions, true>> = {
  id: true,
  model: true,
  apiKey: true,
  headers: true,
  stream: true,
  capabilities: true,
  extraBody: true,
  allowInsecureHttp: true,
  connectTimeoutMs: true,
  readTimeoutMs: true,
  maxResponseBytes: true,
  tls: true,
  proxy: true,
};

/** What other libraries call them. */
const elsewhere: Readonly<Record<string, string>> = {
  baseURL: "baseUrl",
  url: "baseUrl",
  key: "apiKey",
  token: "apiKey",
  modelName: "model",
  timeout: "readTimeoutMs",
  timeoutMs: "readTimeoutMs",
};

function checkOptions(options: object, { maker, options: own }: ProviderNames): void {
  const known = [...Object.keys(commonOptions), ...own];
  refuseUnknownKeys(options, known, `${maker}({ … })`, elsewhere);
}

/** A URL below that of the connection; the query of both counts. */
export function urlBelow({ base }: ProviderConnection, path: string): URL {
  const url = new URL(base);
  const [pathname = "", query] = path.split("?");
  url.pathname = `${base.pathname.replace(/\/+$/, "")}${pathname}`;
  for (const [name, value] of new URLSearchParams(query)) {
    url.searchParams.set(name, value);
  }
  return url;
}

/**
 * The API key for one request, empty where there is none. A line end after it, as files have it, is
 * taken off.
 *
 * @throws ModelError `model-unauthorized` where the key cannot be had; the signal's reason.
 */
export async function keyOf(connection: ProviderConnection, signal: AbortSignal): Promise<string> {
  const { apiKey, id } = connection;
  const key = typeof apiKey === "function" ? await askForKey(apiKey, id, signal) : apiKey;
  return checkKey(key, id);
}

async function askForKey(
  apiKey: () => string | Promise<string>,
  id: string,
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
  options: ProviderOptions & { readonly baseUrl: string | URL },
  id: string,
  { urlOption, exampleUrl }: ProviderNames,
): URL {
  const { baseUrl, apiKey, headers } = options;
  const base = typeof baseUrl === "string" ? URL.parse(baseUrl) : baseUrl;
  if (!(base instanceof URL) || !/^https?:$/.test(base.protocol)) {
    throw invalidOptions(
      `The ${urlOption} of model "${id}" is no http: or https: URL. Give one such as "${exampleUrl}".`,
    );
  }
  const hasCredential =
    Boolean(apiKey) || base.password !== "" || Object.keys(headers ?? {}).some(isCredential);
  if (
    base.protocol === "http:" &&
    hasCredential &&
    !isLoopbackHost(base.hostname) &&
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

const isCredential = (header: string): boolean =>
  /auth|key|token|secret|cookie|password/i.test(header);

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

import { redactUrl } from "../base/redact-url.ts";
import { ToolError } from "../base/tool-error.ts";
import type { AddressGuard } from "./address-guard.ts";
import { type HttpRequest, toHttpUrl } from "./http-request.ts";
import type { HttpResponse } from "./http-response.ts";
import { withoutCredentials } from "./request-headers.ts";
import { sendHttpRequest } from "./send-http-request.ts";

/** A request whose redirects are followed. */
export interface RedirectedRequest extends HttpRequest {
  /** The most redirects that are followed; 0 gives the redirect itself as the answer. */
  readonly maxRedirects: number;
  /** Checks each URL before it is asked, the redirects' as well. */
  readonly guard?: AddressGuard | undefined;
  /** Origins, besides the first, that may have the credentials of the request. */
  readonly credentialOrigins?: readonly string[] | undefined;
}

/**
 * Sends a request and follows its redirects (RFC 9110, 15.4). GET and HEAD follow 301, 302, 303, 307
 * and 308; other methods are sent again, body and all, for 307 and 308 where the body is no stream,
 * and become a GET for 303. Any other redirect is the answer: nothing that a caller wanted to change
 * becomes a GET silently. Another origin gets no header that may hold a credential, nor does user-info
 * travel; `https:` is not left for `http:`.
 *
 * @throws ToolError besides what `sendHttpRequest` throws: too many redirects, or one that leads
 * nowhere. `tool-address-refused` where the guard refuses.
 */
export async function sendFollowingRedirects(first: RedirectedRequest): Promise<HttpResponse> {
  const { maxRedirects, guard, credentialOrigins = [], ...rest } = first;
  let request: HttpRequest & { readonly url: URL } = { ...rest, url: toHttpUrl(first.url) };
  for (let redirects = 0; ; redirects += 1) {
    const response = await sendHttpRequest({ ...request, ...guard?.guard(request.url) });
    const method = methodAfter(response.status, request);
    const location = response.headers["location"];
    if (method === undefined || location === undefined || maxRedirects === 0) {
      return response;
    }
    response.cancel();
    if (redirects === maxRedirects) {
      throw new ToolError(
        `${request.method} ${redactUrl(first.url)} was redirected more than ${maxRedirects} times. Ask the final URL, or raise maxRedirects.`,
      );
    }
    request = redirected(request, method, location, credentialOrigins);
  }
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** The method to follow the redirect with; `undefined` where it is not to be followed. */
function methodAfter(status: number, { method, body }: HttpRequest): string | undefined {
  const name = method.toUpperCase();
  if (!redirectStatuses.has(status)) {
    return undefined;
  }
  if (name === "GET" || name === "HEAD") {
    return method;
  }
  if (status === 303) {
    return "GET";
  }
  const isStream = typeof body === "object" && !(body instanceof Uint8Array);
  return status >= 307 && !isStream ? method : undefined;
}

function redirected(
  request: HttpRequest & { readonly url: URL },
  method: string,
  location: string,
  credentialOrigins: readonly string[],
): HttpRequest & { readonly url: URL } {
  const url = URL.parse(location, request.url.href);
  const leadsToWeb =
    url?.protocol === "https:" || (url?.protocol === "http:" && request.url.protocol === "http:");
  if (url === null || !leadsToWeb) {
    throw new ToolError(
      `${request.method} ${redactUrl(request.url)} was redirected to ${url === null ? "something that is no URL" : redactUrl(url)}, which is not followed.`,
    );
  }
  const { body, headers = {}, ...rest } = request;
  const keepsBody = method === request.method && body !== undefined;
  const isTrusted = url.origin === request.url.origin || credentialOrigins.includes(url.origin);
  url.username = isTrusted ? request.url.username : "";
  url.password = isTrusted ? request.url.password : "";
  const kept = keepsBody ? headers : withoutContent(headers);
  return {
    ...rest,
    url,
    method,
    headers: isTrusted ? kept : withoutHost(withoutCredentials(kept)),
    ...(keepsBody ? { body } : {}),
  };
}

type Headers = Readonly<Record<string, string>>;

const without = (headers: Headers, pattern: RegExp): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !pattern.test(name)));

const withoutContent = (headers: Headers): Headers => without(headers, /^content-|^transfer-/i);
const withoutHost = (headers: Headers): Headers => without(headers, /^host$/i);

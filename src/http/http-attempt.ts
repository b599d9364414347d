import { consoleLogger } from "../base/logger.ts";
import { redactUrl } from "../base/redact-url.ts";
import { ToolHttpError } from "../base/tool-error.ts";
import { sendFollowingRedirects } from "./follow-redirects.ts";
import { type HttpInstrumentor, quietInstrumentor } from "./http-instrumentor.ts";
import type { HttpOptions } from "./http-options.ts";
import type { HttpRequest } from "./http-request.ts";
import type { HttpResponse } from "./http-response.ts";
import { nodeHttp } from "./node-http.ts";

/** A request of an `HttpClient`, complete. */
export type ClientRequest = HttpRequest & HttpOptions & { readonly url: URL };

/** Sends it once, redirects included, tells the instrumentor, and throws where the status says no. */
export async function attemptRequest<Result>(
  request: ClientRequest,
  attempt: number,
  use: (response: HttpResponse) => Result | Promise<Result>,
): Promise<Result> {
  const { method, instrumentor = defaultInstrumentor } = request;
  const subject = { method, url: redactUrl(request.url), attempt };
  const startMs = performance.now();
  const passedMs = (): number => performance.now() - startMs;
  instrumentor({ kind: "request-start", ...subject });
  try {
    const { maxRedirects = method === "HEAD" ? 0 : 5 } = request;
    const response = await sendFollowingRedirects({ ...request, maxRedirects });
    const { status } = response;
    if (status >= 400) {
      throw await toHttpError(response, `${method} ${subject.url} answered ${status}`);
    }
    const result = await use(response);
    instrumentor({ kind: "request-end", ...subject, status, durationMs: passedMs() });
    return result;
  } catch (error) {
    if (request.signal?.aborted !== true) {
      instrumentor({ kind: "request-fail", ...subject, error, durationMs: passedMs() });
    }
    throw error;
  }
}

const defaultInstrumentor: HttpInstrumentor = quietInstrumentor(consoleLogger);

async function toHttpError(response: HttpResponse, message: string): Promise<ToolHttpError> {
  const { status, headers } = response;
  const reason = nodeHttp.STATUS_CODES[status];
  const body = await readStart(response.body);
  return new ToolHttpError(`${message}${reason === undefined ? "" : ` ${reason}`}.`, {
    status,
    headers,
    body,
  });
}

/** No more of an error's body is kept. */
const mostErrorBytes = 256 * 1024;

/** What can be read of the body: the status is worth more than the reason why its text broke off. */
async function readStart(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  try {
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true });
      size += chunk.length;
      if (size >= mostErrorBytes) {
        break;
      }
    }
  } catch {
    // What came before stands.
  }
  return text + decoder.decode();
}

import { HttpExchange } from "./http-exchange.ts";
import { checkHttpLimits, type HttpRequest, isRepeatable, toHttpUrl } from "./http-request.ts";
import type { HttpResponse } from "./http-response.ts";

/**
 * Sends a request over HTTP/1.1 and resolves once the head of the answer is here.
 *
 * Whatever the status, it resolves; redirects are not followed. The caller reads the body, or calls
 * `cancel`: a body that nobody has begun to read within `readTimeoutMs` is given up and its connection
 * closed. A request that met a kept connection just as the server closed it is sent again, where its
 * method is idempotent (RFC 9110, 9.2.2) and its body no stream.
 *
 * @throws ConfigurationError for a limit that is no number it may be; ToolTimeoutError,
 * ToolNetworkError, ToolCertificateError, or ToolError for a request that cannot be sent. Their messages show the URL without user-info and query values.
 */
export async function sendHttpRequest(request: HttpRequest): Promise<HttpResponse> {
  request.signal?.throwIfAborted();
  checkHttpLimits(request, "of the request");
  const url = toHttpUrl(request.url);
  for (;;) {
    const exchange = await HttpExchange.start(request, url);
    try {
      return await exchange.response;
    } catch (error) {
      if (!(exchange.metClosedConnection && isRepeatable(request))) {
        throw error;
      }
    }
  }
}

import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { untilAborted } from "../base/abort.ts";
import { nodeHttp } from "../http/node-http.ts";

/** A listener on this machine to which a browser brings the answer of an authorisation (RFC 8252, 7.3). */
export interface LoopbackRedirect extends AsyncDisposable {
  /** Such as `http://127.0.0.1:40123/callback`; the port is a free one. */
  readonly redirectUri: string;
  /**
   * The URL that the browser came to, once it brings this `state`. Whatever else comes is turned away:
   * another page, another program or an older question does not end the wait.
   */
  answer(state: string, options: { readonly signal: AbortSignal }): Promise<URL>;
}

/**
 * Listens on 127.0.0.1 until it is disposed of. It takes one answer; the person then reads on the page
 * that they may close it.
 *
 * @param redirectUri where a client that is registered must listen: `http:` and a loopback address.
 * Default: a free port.
 * @throws the system's error where that port is taken
 */
export async function openLoopbackRedirect(
  redirectUri = `http://${host}/callback`,
): Promise<LoopbackRedirect> {
  const wanted = new URL(redirectUri);
  const answered = Promise.withResolvers<URL>();
  answered.promise.catch(() => {});
  let expected: string | undefined;
  let isTaken = false;
  const server = nodeHttp.createServer((incoming, response) => {
    const url = URL.parse(incoming.url ?? "", here.href);
    const isHere = url?.pathname === here.pathname && incoming.headers.host === here.host;
    if (incoming.method !== "GET" || url === null || !isHere) {
      sendPage(response, 404, "There is nothing here.");
    } else if (isTaken || expected === undefined || url.searchParams.get("state") !== expected) {
      sendPage(
        response,
        400,
        "This answer was not asked for. Begin again in the program that sent you here.",
      );
    } else {
      isTaken = true;
      const isDenied = url.searchParams.has("error");
      sendPage(response, 200, isDenied ? "Access was not granted." : "Access was granted.");
      answered.resolve(url);
    }
  });
  const address = wanted.hostname === "[::1]" ? "::1" : host;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(Number(wanted.port), address, resolve);
  });
  const here = new URL(wanted);
  here.port = String((server.address() as AddressInfo).port); // an IP server has no other address
  return {
    redirectUri: here.href,
    answer(state, { signal }) {
      expected = state;
      return untilAborted(answered.promise, signal);
    },
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => {
        server.close(resolve);
        setImmediate(() => server.closeAllConnections()); // a page that is being sent has gone by then
      });
    },
  };
}

const host = "127.0.0.1";

/** Nothing of the request is repeated, nothing is loaded, and the code stays in no referrer. */
function sendPage(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    connection: "close",
  });
  response.end(
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>Dragoman</title><body style="font: 1.25rem system-ui; margin: 4rem auto; max-width: 32rem"><p>${text}</p><p>You may close this page.</p></body></html>`,
  );
}

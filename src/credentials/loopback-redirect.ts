import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { untilAborted } from "../base/abort.ts";

/** A listener on this machine to which a browser brings the answer of an authorisation (RFC 8252, 7.3). */
export interface LoopbackRedirect extends AsyncDisposable {
  /** Such as `http://127.0.0.1:40123/callback`; the port is free one. */
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
 */
export async function openLoopbackRedirect(): Promise<LoopbackRedirect> {
  const answered = Promise.withResolvers<URL>();
  answered.promise.catch(() => {});
  let expected: string | undefined;
  let isTaken = false;
  const server = createServer((incoming, response) => {
    const url = URL.parse(incoming.url ?? "", `http://${host}`);
    if (incoming.method !== "GET" || url?.pathname !== path || !isHere(incoming)) {
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
      sendPage(response, 200, isDenied ? "Access was not granted." : "You are logged in.");
      answered.resolve(url);
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, host, resolve);
  });
  const { port } = server.address() as AddressInfo; // an IP server has no other
  const isHere = ({ headers }: IncomingMessage): boolean => headers.host === `${host}:${port}`;
  return {
    redirectUri: `http://${host}:${port}${path}`,
    answer(state, { signal }) {
      expected = state;
      return untilAborted(answered.promise, signal);
    },
    async [Symbol.asyncDispose]() {
      server.closeIdleConnections();
      await new Promise((resolve) => {
        server.close(resolve);
        setImmediate(() => server.closeAllConnections()); // a page that is being sent has been by then
      });
    },
  };
}

const host = "127.0.0.1";
const path = "/callback";

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

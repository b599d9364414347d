import type { IncomingMessage, ServerResponse } from "node:http";
import type { AgUiHandler } from "./create-ag-ui-handler.ts";

/**
 * The same for `node:http`: `createServer(toNodeListener(handler))`. The connection's end aborts the
 * request's signal; a slow connection is written to no faster than it takes.
 */
export function toNodeListener(
  handler: AgUiHandler,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (incoming, outgoing) => {
    const controller = new AbortController();
    outgoing.once("close", () => controller.abort());
    outgoing.on("error", () => controller.abort());
    const answering = async (): Promise<void> => {
      const answer = await handler(toRequest(incoming, controller.signal));
      await send(answer, outgoing, controller.signal);
    };
    answering().catch(() => outgoing.destroy());
  };
}

function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = "GET", headers, url = "/" } = incoming;
  // Who the client believes to speak to is of no matter here, only the path and the query are.
  const address = new URL(url, "http://localhost");
  const pairs = Object.entries(headers).flatMap(([name, value = []]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  );
  const hasBody = method !== "GET" && method !== "HEAD";
  const init: RequestInit & { duplex: "half" } = {
    method,
    headers: pairs.filter(([name]) => !name.startsWith(":")),
    signal,
    duplex: "half",
    ...(hasBody ? { body: ReadableStream.from(incoming) } : {}),
  };
  return new Request(address, init);
}

async function send(
  answer: Response,
  outgoing: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
  const reader = answer.body?.getReader();
  const leave = (): void => void reader?.cancel().catch(() => {});
  signal.addEventListener("abort", leave, { once: true });
  outgoing.flushHeaders();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || signal.aborted) {
      break;
    }
    if (!outgoing.write(value)) {
      await drained(outgoing, signal);
    }
  }
  outgoing.end();
}

/** Fulfilled when the connection takes more, or has ended. */
function drained(outgoing: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      outgoing.off("drain", go);
      signal.removeEventListener("abort", go);
      resolve();
    };
    outgoing.once("drain", go);
    signal.addEventListener("abort", go, { once: true });
  });
}

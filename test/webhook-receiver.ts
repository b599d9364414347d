import type { IncomingHttpHeaders } from "node:http";
import { type LoopbackServer, startHttp } from "./loopback.ts";

/** What a receiver of webhooks has got. */
export interface ReceivedRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** A receiver of webhooks on the loopback interface. */
export interface WebhookReceiver extends LoopbackServer {
  readonly requests: readonly ReceivedRequest[];
}

/** Status, headers and body of an answer. */
export type ReceiverAnswer = readonly [number, Readonly<Record<string, string>>, string?];

/** A receiver that gives these answers one after the other, and the last one from then on. */
export async function startReceiver(
  answers: readonly ReceiverAnswer[] = [[200, {}]],
): Promise<WebhookReceiver> {
  const requests: ReceivedRequest[] = [];
  const server = await startHttp((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const { method, url, headers } = incoming;
      const body = Buffer.concat(chunks).toString();
      requests.push({ method, url, headers: single(headers), body });
      const answer = answers[Math.min(requests.length, answers.length) - 1];
      const [status = 200, more = {}, text = ""] = answer ?? [];
      response.writeHead(status, more).end(text);
    });
  });
  return Object.defineProperties(
    { requests } as unknown as WebhookReceiver, // what the server has is added
    Object.getOwnPropertyDescriptors(server),
  );
}

const single = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

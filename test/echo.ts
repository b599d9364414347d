import type { IncomingMessage } from "node:http";
import type { JsonObject } from "../src/base/json.ts";
import type { Answer } from "./loopback.ts";

/** Answers with what it was asked: method, URL, headers and body, as JSON. */
export const echo: Answer = (incoming, response) => {
  void readAll(incoming).then((body) => {
    const { method, url, headers } = incoming;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ method, url, headers, body }));
  });
};

/** What the echo heard of a request. */
export const heard = async (response: Promise<{ json(): unknown }>): Promise<JsonObject> =>
  (await response).json() as JsonObject; // the echo's answer

/** The headers that the echo heard, by lower-case name. */
export const headersHeard = async (response: Promise<{ json(): unknown }>): Promise<JsonObject> =>
  (await heard(response))["headers"] as JsonObject; // the echo's answer

async function readAll(incoming: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of incoming.setEncoding("utf8")) {
    text += chunk;
  }
  return text;
}

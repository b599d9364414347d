import { createHash, timingSafeEqual } from "node:crypto";
import type { Caller } from "../ag-ui/handler-options.ts";
import { Refusal } from "../ag-ui/refusal.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import type { ServerAuth } from "./server-options.ts";

/** Tells who sends a request. @throws Refusal 401 for whoever may not. */
export type FindCaller = (request: Request) => Promise<Caller>;

/** Short tokens can be guessed. */
const shortestToken = 16;

/** @throws ConfigurationError where the token is too short to keep anybody out. */
export function callerFinder(auth: ServerAuth | undefined): FindCaller {
  if (auth === undefined) {
    return async () => ({});
  }
  if (typeof auth === "function") {
    return async (request) => {
      const caller = await Promise.resolve(auth(request));
      return caller ?? refuse();
    };
  }
  const { token, actor } = auth;
  if (typeof token !== "string" || token.length < shortestToken) {
    throw new ConfigurationError(
      `The server's token must have at least ${shortestToken} characters; openssl rand -hex 32 makes a good one.`,
      { code: "invalid-configuration" },
    );
  }
  const wanted = digest(token);
  const caller: Caller = actor === undefined ? {} : { actor };
  return async ({ headers }) => {
    const [, given] = /^bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "") ?? [];
    // Digests are of one length, and take the same time to compare wherever they differ.
    return given !== undefined && timingSafeEqual(digest(given), wanted) ? caller : refuse();
  };
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

function refuse(): never {
  throw new Refusal("This server does not know who you are: send Authorization: Bearer TOKEN.", {
    status: 401,
    code: "unauthorized",
    headers: { "www-authenticate": 'Bearer realm="dragoman"' },
  });
}

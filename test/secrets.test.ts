import { inspect } from "node:util";
import { expect, test } from "vitest";
import type { Logger } from "../src/base/logger.ts";
import { Secret } from "../src/base/secret.ts";
import { Credentials } from "../src/credentials/credentials.ts";
import { AddressGuard } from "../src/http/address-guard.ts";
import type { HttpBodyOptions } from "../src/http/http-client.ts";
import { httpClientFor } from "../src/http/http-client-for.ts";
import { type HttpInstrumentor, quietInstrumentor } from "../src/http/http-instrumentor.ts";
import type { HttpOptions } from "../src/http/http-options.ts";
import { defineTool } from "../src/tool/define-tool.ts";
import type { ToolCall } from "../src/tool/tool.ts";
import { agentOf, collect, modelOf } from "./agent-fixture.ts";
import { createCertificate } from "./certificate.ts";
import { type LoopbackServer, startHttp, startHttps } from "./loopback.ts";
import { startProxy } from "./proxy.ts";

/** Stands wherever a secret may stand; its base64 forms are looked for as well. */
const secret = "hunter2hunter2hunter2";
const forms = [secret, "hunter", btoa(`ann:${secret}`), btoa(secret), encodeURIComponent(secret)];

/** Secrets in the header, the query, the body and the cookie of one request. */
const request: HttpBodyOptions = {
  query: { api_key: secret, token: new Secret(secret) },
  headers: {
    authorization: `Bearer ${secret}`,
    cookie: `sid=${secret}`,
    "x-api-key": new Secret(secret),
  },
  body: { password: secret },
};

/** Servers that fail, each in its way, and repeat what they were sent where they can. */
async function startFailing(): Promise<LoopbackServer> {
  return startHttp((incoming, response) => {
    const path = incoming.url?.split("?")[0];
    const echo = JSON.stringify([incoming.url, incoming.headers]);
    incoming.resume();
    switch (path) {
      case "/reset":
        incoming.socket.resetAndDestroy();
        break;
      case "/silent":
        break;
      case "/loop":
        response.writeHead(307, { location: `/loop?next=${secret}` }).end(echo);
        break;
      case "/elsewhere":
        response.writeHead(307, { location: `ftp://ann:${secret}@host/?k=${secret}` }).end(echo);
        break;
      case "/inside":
        response.writeHead(307, { location: `http://ann:${secret}@127.0.0.2/?k=${secret}` }).end();
        break;
      case "/gzip":
        response.setHeader("content-encoding", "gzip").end(echo);
        break;
      case "/half":
        response.writeHead(200, { "content-length": 99_999 }).write(echo);
        response.socket?.end();
        break;
      case "/plain":
        response.end(`${secret} ${echo}`);
        break;
      default:
        response.writeHead(path === "/ok" ? 200 : 500, { "set-cookie": `sid=${secret}` }).end(echo);
    }
  });
}

type Failing = (call: ToolCall, origin: string, options: HttpOptions) => Promise<unknown>;

const post =
  (path: string, more: HttpOptions = {}): Failing =>
  (call, origin, options) => {
    const baseUrl = origin.replace("//", `//ann:${secret}@`);
    return httpClientFor(call, { baseUrl, options }).post(path, { ...request, options: more });
  };

const failures: Readonly<Record<string, Failing>> = {
  status: post("/500"),
  "token in the path": post(`/hooks/${secret}/send`),
  reset: post("/reset"),
  silence: post("/silent", { readTimeoutMs: 20 }),
  "loop of redirects": post("/loop"),
  "redirect to no web address": post("/elsewhere"),
  "redirect that the guard refuses": post("/inside", {
    guard: new AddressGuard({ allow: [{ cidr: "127.0.0.1/32" }] }),
  }),
  "guard that refuses": post("/ok", { guard: new AddressGuard() }),
  "broken compression": post("/gzip"),
  "broken body": post("/half"),
  "answer too large": post("/ok", { maxResponseBytes: 3 }),
  "refused connection": (call, _origin, options) => post("/")(call, "http://127.0.0.1:1", options),
  "unknown host": (call, _origin, options) => post("/")(call, "http://gone.invalid", options),
  "answer that is no JSON": async (call, origin, options) =>
    (await httpClientFor(call, { baseUrl: origin, options }).post("/plain", request)).json(),
  "base URL that is none": async (call, _origin, options) =>
    httpClientFor(call, { baseUrl: `http://ann:${secret}@host:99999/`, options }),
  "absolute URL that is none": (call, baseUrl, options) =>
    httpClientFor(call, { baseUrl, options }).get(`ftp://ann:${secret}@host/?k=${secret}`),
  "user-info that is malformed": (call, _origin, options) =>
    httpClientFor(call, { baseUrl: `http://ann:%zz${secret}@127.0.0.1:1/`, options }).get("/"),
  "path that leaves the base URL": (call, baseUrl, options) =>
    httpClientFor(call, { baseUrl: `${baseUrl}/v1`, options }).get(`../${secret}`),
  "header that cannot be sent": (call, baseUrl, options) =>
    httpClientFor(call, { baseUrl, options }).get("/", { headers: { "x-key": `${secret}\n` } }),
  "body that cannot be written": (call, baseUrl, options) =>
    httpClientFor(call, { baseUrl, options }).post("/", { body: { secret, amount: 1n } }),
  certificate: async (call, _origin, options) => {
    await using server = await startHttps(await createCertificate(), () => {});
    return post("/")(call, server.origin, options);
  },
  "proxy that refuses": async (call, _origin, options) => {
    await using proxy = await startProxy(407);
    const proxied = { ...options, proxy: proxy.url.replace("//", `//ann:${secret}@`) };
    return post("/")(call, "https://127.0.0.1:1", proxied);
  },
  "proxy that is none": (call, origin, options) =>
    post("/")(call, origin, { ...options, proxy: `socks5://ann:${secret}@host` }),
  "token that is refused": (call) => call.binding.credential("refused"),
  "key that is none": (call) => call.binding.credential("google"),
};

test.each(Object.entries(failures))(
  "no secret stands in any error, log, event or message after a failure: %s",
  async (_name, fail) => {
    await using server = await startFailing();
    const seen: unknown[] = [];
    const logger = loggerTo(seen);
    const instrumentor: HttpInstrumentor = (event) => {
      seen.push(event);
      quietInstrumentor(logger)(event);
    };
    const errors: unknown[] = [];
    const tool = defineTool({
      name: "subject",
      description: "Fails.",
      async execute(_input, call) {
        try {
          return await fail(call, server.origin, { instrumentor });
        } catch (error) {
          errors.push(error);
          throw error;
        }
      },
    });
    const model = modelOf({ calls: [{ name: "subject" }] }, "ok");
    const agent = agentOf({ model, tools: [tool] }, { logger, credentials: credentialsAt(server) });
    const run = agent.stream("Go.");
    seen.push(...(await collect(run)), await run.result, model.requests, errors);

    expect(errors).toHaveLength(1);
    const shown = `${inspect(seen, { depth: 12, showHidden: false })}${JSON.stringify(seen)}${stacksOf(errors)}`;
    for (const form of forms) {
      expect(shown).not.toContain(form);
    }
  },
);

function credentialsAt({ origin }: LoopbackServer): Credentials {
  return new Credentials({
    definitions: {
      refused: {
        kind: "oauth2",
        grant: "client-credentials",
        tokenUrl: `${origin}/token?key=${secret}`,
        clientId: "client",
        clientSecret: secret,
        clientAuthentication: "post",
        allowInsecureHttp: true,
      },
      google: { kind: "google-service-account", key: `{"private_key":"${secret}"}`, scopes: [] },
    },
  });
}

function loggerTo(seen: unknown[]): Logger {
  const log = (message: string, fields?: unknown): void => {
    seen.push({ message, fields });
  };
  return { debug: log, info: log, warn: log, error: log };
}

/** Stacks and messages all the way down. */
function stacksOf(errors: readonly unknown[]): string {
  return errors
    .map((error) =>
      error instanceof Error ? `${error.stack} ${error.message} ${stacksOf([error.cause])}` : "",
    )
    .join(" ");
}

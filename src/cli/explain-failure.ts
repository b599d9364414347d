import { ConfigurationError, messageOf } from "../base/dragoman-error.ts";
import { McpError } from "../mcp/wire/mcp-error.ts";
import type { McpServerConfig, UrlTransport } from "../tool/mcp-server-config.ts";
import { explainProgramEnd, unknownRevision } from "./explain-program-end.ts";
import { type Finding, finding } from "./finding.ts";

/** A server that could not be used. */
export interface FailedConnection {
  readonly config: McpServerConfig;
  readonly thrown: unknown;
  /** The environment that dragoman runs in. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Why a server cannot be used, in words that a person can act on. */
export function explainFailure({ config, thrown, env }: FailedConnection): readonly Finding[] {
  const { transport } = config;
  if (ConfigurationError.is(thrown)) {
    return [finding("error", thrown.code, { message: thrown.message, advice: mendIt })];
  }
  if (!McpError.is(thrown)) {
    return [finding("error", "failed", { message: messageOf(thrown), advice: reportIt })];
  }
  const [message = "", ...evidence] = thrown.message.split("\n").map((line) => line.trimEnd());
  if (transport.type === "stdio") {
    return explainProgramEnd({ config, transport, error: thrown, message, evidence });
  }
  const known = byStatus(thrown, config.name) ?? unknownRevision(message) ?? byWords(thrown);
  const [code, advice] = known ?? ["failed", "See what the server's own log says."];
  const isNetwork = thrown.code === "mcp-connect-failed" || thrown.code === "mcp-timeout";
  return [
    finding("error", code, { message, evidence, advice }),
    ...(isNetwork ? examineProxy(transport, env) : []),
  ];
}

const mendIt = "Do what it says: change the server's configuration, or install what is missing.";

const reportIt = "This should not happen: please report it, with what you did.";

type Explanation = readonly [code: string, advice: string];

function byStatus({ status }: McpError, name: string): Explanation | undefined {
  switch (status) {
    case 401:
      return [
        "unauthorized",
        `Give a valid "token" or "headers", best from your environment: \${NAME}. Where the server has its users sign in (OAuth), do that: dragoman mcp login ${name}.`,
      ];
    case 403:
      return [
        "forbidden",
        "The credentials are known, but do not allow this: ask for the scope or the role that the server wants.",
      ];
    case 404:
      return ["not-found", "Check the path of the URL; often it ends with /mcp or /sse."];
    case 400:
    case 405:
    case 406:
    case 415:
    case 426:
      return [
        "wrong-endpoint",
        'This address does not take MCP by this transport: check the path of the URL and the "type".',
      ];
    case 407:
      return ["proxy-unauthorized", 'The proxy wants credentials: give them in "proxy".'];
    case 429:
      return ["too-many-requests", "Wait, or ask the server's operator for a higher limit."];
    default:
      return status !== undefined && status >= 500
        ? [
            "server-error",
            "The server itself, or a gateway before it, is in trouble: see its log, try later.",
          ]
        : undefined;
  }
}

function byWords(error: McpError): Explanation | undefined {
  const { code, message } = error;
  if (code === "mcp-certificate") {
    const [, reason = ""] = /\(([A-Z_]+)\)/.exec(message) ?? [];
    return ["certificate", certificateAdvice(reason)];
  }
  const found = patterns.find(([pattern]) => pattern.test(message));
  if (found !== undefined) {
    return [found[1], found[2]];
  }
  return codes[code];
}

function certificateAdvice(reason: string): string {
  if (/EXPIRED/.test(reason)) {
    return "The certificate has expired: the server's operator must renew it. Is this machine's clock right?";
  }
  if (/ALTNAME|HOSTNAME/.test(reason)) {
    return "The certificate is for another host: use the name that it was made for in the URL.";
  }
  return 'The certificate comes from an authority that is not known here: set "ca" of "tls" to that authority\'s certificate, or NODE_EXTRA_CA_CERTS to its file.';
}

/** What the words of an error tell beyond its code. */
const patterns: readonly (readonly [pattern: RegExp, code: string, advice: string])[] = [
  [
    /connection was refused/,
    "refused",
    "Start the server, and check host and port of the URL. In a container, localhost is the container itself.",
  ],
  [/host name is not known/, "unknown-host", "Check the spelling of the host, and the network."],
  [
    /EPROTO|WRONG_VERSION_NUMBER|ERR_SSL|packet length too long/,
    "not-tls",
    "The server does not speak TLS there: use another port, or http: with allowInsecureHttp for a server in a network of your own.",
  ],
  [/redirects/, "redirect", 'Set the "url" to the address that it redirects to.'],
  [/proxy/i, "proxy", 'Check "proxy" of the transport: its address, and whether it lets you pass.'],
  [
    /ETIMEDOUT|EHOSTUNREACH|ENETUNREACH/,
    "unreachable",
    "There is no way to that host: check the network, a VPN, a firewall.",
  ],
  [
    /closed the connection without an answer/,
    "closed-without-answer",
    "Something is there that does not speak HTTP, or it wants https: check scheme and port of the URL.",
  ],
  [
    /html|web page/i,
    "web-page",
    "A web page answers there, a sign-in page for example, and no MCP server: check the URL.",
  ],
];

const codes: { readonly [code in McpError["code"]]?: Explanation } = {
  "mcp-timeout": [
    "timeout",
    'Is it an MCP server, and is it awake? If it is slow, raise "timeoutMs" of its configuration.',
  ],
  "mcp-authorization": [
    "unauthorized",
    'Sign in with dragoman mcp login and the server\'s name; or give a "token" or "headers".',
  ],
  "mcp-protocol": ["not-mcp", "What answers there is not an MCP server: check the URL."],
  "mcp-remote-error": [
    "handshake-refused",
    "The server refuses to talk: see its documentation and its log.",
  ],
  "mcp-connect-failed": ["unreachable", "Check the URL and the network."],
  "mcp-connection-closed": ["closed", "The server ended the connection: see its log."],
  "mcp-limit": ["too-large", 'Raise "maxResponseBytes" of the transport, if that is expected.'],
};

/** Names of proxies in the environment, which connections to servers do not use by themselves. */
function examineProxy(
  { proxy, url }: UrlTransport,
  env: Readonly<Record<string, string | undefined>>,
): readonly Finding[] {
  if (proxy !== undefined) {
    return [
      finding("info", "proxy-used", {
        message: "The way to it goes through the proxy of its transport.",
        advice: "Check that the proxy is there and lets you pass to this host.",
      }),
    ];
  }
  const names = [new URL(url).protocol === "http:" ? "HTTP_PROXY" : "HTTPS_PROXY", "ALL_PROXY"];
  const set = [...names, ...names.map((name) => name.toLowerCase())].find((name) => env[name]);
  return set === undefined
    ? []
    : [
        finding("info", "proxy-not-used", {
          message: `Your environment names a proxy (${set}), which is used only where a transport says so.`,
          advice: `If this host is reached by the proxy only, write "proxy": "\${${set}}" in its transport.`,
        }),
      ];
}

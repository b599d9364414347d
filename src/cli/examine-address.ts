import { isLoopbackHost } from "../base/loopback-host.ts";
import { secretsOfUrl } from "../mcp/secrets/secret-arguments.ts";
import type { UrlTransport } from "../tool/mcp-server-config.ts";
import { type Finding, finding } from "./finding.ts";
import { emptyOrPlaceholder } from "./placeholder-values.ts";

/** What can be said of a server behind a URL before it is asked. */
export function examineAddress(transport: UrlTransport): readonly Finding[] {
  const { url, headers = {}, token, tls } = transport;
  const { protocol, hostname } = new URL(url);
  const insecure = (protocol === "http:" || protocol === "ws:") && !isLoopbackHost(hostname);
  return [
    ...(insecure ? [insecureHttp(protocol)] : []),
    ...(secretsOfUrl(url).length === 0 ? [] : [credentialsInUrl]),
    ...(tls?.rejectUnauthorized === false ? [uncheckedCertificate] : []),
    ...emptyOrPlaceholder("headers", headers),
    ...emptyOrPlaceholder("token", token === undefined ? {} : { token }),
    ...examineScheme(headers, token),
  ];
}

const insecureHttp = (protocol: string): Finding =>
  finding("warning", "insecure-http", {
    message: `Anyone on the way can read and change what goes over ${protocol}`,
    advice: `Use ${protocol.replace(":", "s:")} where the server has a certificate.`,
  });

const credentialsInUrl: Finding = finding("warning", "credentials-in-url", {
  message: "Its URL holds credentials, and URLs end up in the logs of proxies and servers.",
  advice: 'Give them in "token" or "headers", if the server takes them from there.',
});

const uncheckedCertificate: Finding = finding("warning", "certificate-unchecked", {
  message: "Its certificate is not checked, so anyone can pose as this server.",
  advice:
    'Set "ca" of "tls" to the authority that it comes from, and take out "rejectUnauthorized".',
});

function examineScheme(
  headers: Readonly<Record<string, string>>,
  token: string | undefined,
): readonly Finding[] {
  const [, given] =
    Object.entries(headers).find(([name]) => name.toLowerCase() === "authorization") ?? [];
  if (given !== undefined && given.trim() !== "" && !/^\S+ +\S/.test(given)) {
    return [
      finding("warning", "authorization-without-scheme", {
        message: 'The "Authorization" header has no scheme, such as Bearer, before its value.',
        advice: 'Write "Bearer …", or give the value as "token".',
      }),
    ];
  }
  return token !== undefined && /^bearer /i.test(token)
    ? [
        finding("warning", "token-with-scheme", {
          message: 'The "token" begins with "Bearer", which is added to it anyway.',
          advice: 'Take "Bearer" out of "token".',
        }),
      ]
    : [];
}

import { messageOf } from "../base/dragoman-error.ts";
import {
  ToolCertificateError,
  ToolError,
  ToolNetworkError,
  ToolTimeoutError,
} from "../base/tool-error.ts";

/**
 * What Node reports of a failed request, as a {@link ToolError} of the right kind; the original is
 * its cause. `what` names the request, without its secrets: `GET https://api.example/users`.
 */
export function toNetworkError(cause: unknown, what: string): ToolError {
  if (ToolError.is(cause)) {
    return cause;
  }
  const code = codeOf(cause);
  if (certificateCodes.test(code)) {
    return new ToolCertificateError(
      `${what} failed: the certificate of the server is not to be trusted (${code}). Add its authority as tls.ca, or use the host name that the certificate is for.`,
      { cause },
    );
  }
  if (code === "ETIMEDOUT") {
    return new ToolTimeoutError(`${what} failed: the connection timed out.`, { cause });
  }
  if (code.startsWith("ERR_") || isMistake(cause)) {
    return new ToolError(`${what} cannot be sent: ${messageOf(cause)}.`, { cause });
  }
  return new ToolNetworkError(`${what} failed: ${explain(code)}.`, { cause });
}

/** No trouble of the network, but a faulty request, or a platform that lacks something. */
const isMistake = (cause: unknown): boolean =>
  cause instanceof TypeError || cause instanceof RangeError || cause instanceof URIError;

/** The codes that OpenSSL and Node give for certificates that they refuse. */
const certificateCodes =
  /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(?:GET|VERIFY|DECODE|DECRYPT)_|CRL_|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)|PATH_LENGTH_|ERROR_IN_CERT)/;

const explanations: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens at that address (ECONNREFUSED)",
  ECONNRESET: "the connection broke (ECONNRESET)",
  EPIPE: "the connection broke (EPIPE)",
  ENOTFOUND: "the host name is not known (ENOTFOUND)",
  EAI_AGAIN: "the host name cannot be looked up now (EAI_AGAIN)",
  EHOSTUNREACH: "the host cannot be reached (EHOSTUNREACH)",
  ENETUNREACH: "the network cannot be reached (ENETUNREACH)",
  EPROTO: "the server does not speak TLS there (EPROTO)",
};

function explain(code: string): string {
  if (code.startsWith("HPE_")) {
    return `the server answered with something that is not HTTP (${code || "no code"})`;
  }
  return explanations[code] ?? `the connection broke (${code || "no code"})`;
}

function codeOf(error: unknown): string {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
}

import { ConfigurationError } from "../base/dragoman-error.ts";
import { ToolError } from "../base/tool-error.ts";
import type { Binding } from "../tool/binding.ts";

/** Decides where a model may have a webhook sent. */
export type WebhookRule = (
  url: URL,
  scope: { readonly binding: Binding },
) => boolean | Promise<boolean>;

/**
 * A rule of addresses such as `https://hooks.example/team`: scheme, host and port must be the same, and
 * the path the same or below it. `*.` before a host means every name below that host.
 *
 * @throws ConfigurationError where one of them is no address of that form.
 */
export function toWebhookRule(allowed: readonly string[], tool: string): WebhookRule {
  const rules = allowed.map((text) => {
    const url = URL.parse(text);
    const isPlain = url?.username === "" && url.search === "" && url.hash === "";
    if (url === null || !isPlain || !isWeb(url)) {
      throw new ConfigurationError(
        `Tool "${tool}": an entry of allowed must be a URL such as https://hooks.example/team, without user, query and fragment.`,
        { code: "invalid-definition" },
      );
    }
    return url;
  });
  return (url) => rules.some((rule) => isWithin(url, rule));
}

function isWithin(url: URL, rule: URL): boolean {
  const host = rule.hostname.startsWith("*.")
    ? url.hostname.endsWith(rule.hostname.slice(1))
    : url.hostname === rule.hostname;
  const folder = rule.pathname.replace(/\/?$/, "/");
  return (
    host &&
    url.protocol === rule.protocol &&
    url.port === rule.port &&
    (url.pathname === rule.pathname || url.pathname.startsWith(folder)) &&
    // A server that decodes these before it looks at the path would see another one.
    !/%2f|%5c|%2e/i.test(url.pathname)
  );
}

/** What is to become of a URL before it is asked. */
export interface DestinationOptions {
  readonly allowInsecureHttp: boolean;
  /** Absent: any, which is for a URL of the application's. */
  readonly isAllowed?: (url: URL) => Promise<boolean>;
}

/**
 * The URL of a webhook, if it may be asked. Messages do not repeat it: it may hold a secret.
 *
 * @throws ToolError `tool-address-refused` where it may not; `invalid-arguments` where it is none.
 */
export async function toDestination(
  text: string | URL,
  { allowInsecureHttp, isAllowed }: DestinationOptions,
): Promise<URL> {
  const url = URL.parse(String(text));
  if (url === null || !isWeb(url)) {
    throw new ToolError("The URL of the webhook must be an absolute https: URL.", {
      code: "invalid-arguments",
    });
  }
  if (url.protocol === "http:" && !allowInsecureHttp) {
    throw refused("it is http:, which anybody on the way can read and change. Use https:");
  }
  if (isAllowed !== undefined && (url.username !== "" || url.password !== "")) {
    throw refused("it holds a user or a password");
  }
  if (isAllowed !== undefined && !(await isAllowed(url))) {
    throw refused("it is not one that this tool is allowed to send to");
  }
  return url;
}

const isWeb = ({ protocol }: URL): boolean => protocol === "https:" || protocol === "http:";

const refused = (why: string): ToolError =>
  new ToolError(`Nothing is sent to that URL: ${why}.`, { code: "tool-address-refused" });

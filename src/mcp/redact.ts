/** A URL as it may be shown: no user, no query, no fragment, and no part of the path that may be a key. */
export function redactUrl(url: URL): string {
  const path = url.pathname
    .split("/")
    .map((part) => (part.length > longestShownPart ? "…" : part))
    .join("/");
  return `${url.protocol}//${url.host}${path}`;
}

/** Some services put the key into the path; such a part is longer than a word. */
const longestShownPart = 24;

/** `text` without the given values, which are secrets; short ones are too common to be told apart. */
export function hideValues(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= shortestSecret)
    .toSorted((left, right) => right.length - left.length)
    .reduce((shown, secret) => shown.replaceAll(secret, "[hidden]"), text);
}

const shortestSecret = 6;

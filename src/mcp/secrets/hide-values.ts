/** `text` without the given values, which are secrets; short ones are too common to be told apart. */
export function hideValues(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= shortestSecret)
    .toSorted((left, right) => right.length - left.length)
    .reduce((shown, secret) => shown.replaceAll(secret, "[hidden]"), text);
}

const shortestSecret = 6;

/**
 * The address of a link that may be followed: of the web, or of mail. `undefined` for everything else,
 * such as `javascript:`, `data:` and addresses of this server.
 */
export function safeLink(href: string): string | undefined {
  const url = URL.parse(href);
  return url !== null && /^(?:https?|mailto):$/.test(url.protocol) ? url.href : undefined;
}

/**
 * A URL as it may stand in a message, a log or a trace: no user-info, no fragment, no values of
 * query parameters, and no part of the path that looks like a token (20 characters or more, letters
 * and digits). Of what is no URL of the web (http, https, ws, wss) only the scheme is shown.
 */
export function redactUrl(url: string | URL): string {
  const parsed = typeof url === "string" ? URL.parse(url) : url;
  if (parsed === null) {
    return "(not a URL)";
  }
  if (!/^(?:http|ws)s?:$/.test(parsed.protocol)) {
    return `${parsed.protocol}…`;
  }
  const path = parsed.pathname.split("/").map(hideToken).join("/");
  const names = [...new Set(parsed.searchParams.keys())].map(hideToken);
  const query = names.length === 0 ? "" : `?${names.map((name) => `${name}=…`).join("&")}`;
  return `${parsed.protocol}//${parsed.host}${path}${query}`;
}

const hideToken = (part: string): string =>
  part.length >= 20 && /\d/.test(part) && /[A-Za-z]/.test(part) ? "…" : part;

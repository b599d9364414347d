import { Secret } from "../base/secret.ts";
import { ToolError } from "../base/tool-error.ts";
import { toHttpUrl } from "./http-request.ts";

/**
 * Parameters for a URL: `undefined` is left out, an array repeats its name, a `Secret` is revealed when
 * the request is sent.
 */
export type HttpQuery = Readonly<
  Record<string, HttpQueryValue | readonly HttpQueryValue[] | undefined>
>;
/** One value of a parameter. */
export type HttpQueryValue = string | number | boolean | Secret;

/** A base URL, checked: `http:` or `https:`. Its query goes with every request, its fragment with none. */
export function toBaseUrl(baseUrl: string | URL): URL {
  const parsed = URL.parse(String(baseUrl)); // what is no URL is refused as text, too
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    // Its text is not repeated: it may hold a password.
    throw new ToolError(
      "The base URL of the HTTP client is not valid. Give an absolute http: or https: URL, such as https://api.example.",
    );
  }
  parsed.hash = "";
  return parsed;
}

/**
 * The URL of a request. A relative path, with or without a slash before it, is put after the base
 * URL's own path; it cannot leave that path, whatever dots and slashes it holds. An absolute URL
 * stands for itself.
 *
 * @throws ToolError where the result is no http(s) URL, or lies outside of the base URL.
 */
export function toRequestUrl(base: URL, path: string | URL, query: HttpQuery = {}): URL {
  const url = typeof path === "string" && !isAbsolute(path) ? join(base, path) : toHttpUrl(path);
  const result = new URL(url); // the caller's own URL stays as it is
  result.hash = "";
  for (const [name, value] of Object.entries(query)) {
    for (const single of Array.isArray(value) ? value : [value]) {
      if (single !== undefined) {
        result.searchParams.append(
          name,
          single instanceof Secret ? single.reveal() : String(single),
        );
      }
    }
  }
  return result;
}

const isAbsolute = (path: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(path);

function join(base: URL, path: string): URL {
  if (path === "") {
    return base;
  }
  const root = base.pathname.replace(/\/$/, "");
  const [route = "", ...query] = path.replace(/#.*$/s, "").split("?");
  const url = new URL(base);
  url.pathname = `${root}/${route.replace(/^\/+/, "")}`;
  url.search = [base.search.slice(1), query.join("?")].filter((part) => part !== "").join("&");
  if (!`${url.pathname}/`.startsWith(`${root}/`)) {
    throw new ToolError(
      "The path of the request leaves the base URL. Give a path below it, or the absolute URL.",
    );
  }
  return url;
}

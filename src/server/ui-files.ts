import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { notFound } from "./owned.ts";
import type { Routes } from "./server-scope.ts";

/** Where the web UI's files are, and whether they are served. */
export interface UiFilesOptions {
  /** The folder of the built UI. Default: the one that came with this package. */
  readonly folder: string | undefined;
  isOpen(): boolean;
}

/**
 * The built UI beside this module: `dist/web` from a file in `dist/server` or `dist/chunks`, and from the
 * sources what `npm run build` has left.
 */
const folders = ["../web/", "../../dist/web/"].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/** Kinds of files that the build makes; nothing else is served. */
const mediaTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/**
 * Nothing from elsewhere, no script and no style in a text, nothing that a text could be turned into: not
 * even a mistake of the page's own lets what a tool has said run.
 */
const contentSecurityPolicy: string = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const safetyHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": contentSecurityPolicy,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=()",
};

/**
 * The files of the web UI below `/ui/`, and the way there from `/`. They are the same for everybody and
 * hold nothing of anybody, so that they are had without a token: what the page shows it asks the
 * server for, as whoever uses it.
 */
export function addUiFiles(routes: Routes, { folder, isOpen }: UiFilesOptions): void {
  const candidates = folder === undefined ? folders : [folder];
  // Relative, so that a router may put the server below a path of its own.
  for (const path of ["/", "/ui"]) {
    routes.get(path, (context, next) => (isOpen() ? context.redirect("ui/") : next()));
  }
  routes.get("/ui/", async (_, next) => {
    if (!isOpen()) {
      return next();
    }
    const page = await firstOf(candidates, "index.html");
    const headers = { ...safetyHeaders, "cache-control": "no-cache" };
    const html = { ...headers, "content-type": "text/html; charset=utf-8" };
    return page === undefined
      ? new Response(notBuilt, { status: 503, headers: html })
      : new Response(page, { headers: html });
  });
  routes.get("/ui/assets/:file", async (context, next) => {
    if (!isOpen()) {
      return next();
    }
    const name = context.req.param("file");
    const type = /^\w[\w.-]*$/.test(name) ? mediaTypes[extname(name)] : undefined;
    const found = type && (await firstOf(candidates, join("assets", name)));
    if (type === undefined || found === undefined || found === "") {
      throw notFound("file");
    }
    return new Response(found, {
      headers: {
        ...safetyHeaders,
        "content-type": type,
        // Its name has a digest of what it holds.
        "cache-control": "public, max-age=31536000, immutable",
      },
    });
  });
}

async function firstOf(
  candidates: readonly string[],
  path: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  for (const folder of candidates) {
    const bytes = await readFile(join(folder, path)).catch(() => undefined);
    if (bytes !== undefined) {
      return new Uint8Array(bytes);
    }
  }
  return undefined;
}

const notBuilt = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Dragoman</title>
<h1>The web UI has not been built</h1>
<p>Dragoman runs from its sources here. Build the page with</p>
<pre>npm run build</pre>
<p>and load this address again. Everything else is served: <a href="../agents">/agents</a>.</p>
`;

import type { Caller } from "../ag-ui/handler-options.ts";
import type { ArtifactStore, ArtifactSummary } from "../agent/artifact-store.ts";
import { isMediaType } from "../base/media-type.ts";
import { notFound, whose } from "./owned.ts";
import { pageQuery } from "./page-query.ts";
import type { Routes, ServerScope } from "./server-scope.ts";

/** Files that runs have produced: which there are, and their bytes. */
export function addArtifactRoutes(routes: Routes, scope: ServerScope): void {
  routes.get("/artifacts", async (context) =>
    context.json(await listArtifacts(context.req.query(), context.get("caller"), scope)),
  );
  routes.get("/artifacts/:id", async (context) => {
    const id = context.req.param("id");
    for (const { app, store } of artifactStoresOf(scope)) {
      const found = await store.get({ app, id, ...whose(context.get("caller")) });
      if (found !== undefined) {
        return new Response(found.bytes, { headers: headersOf(found) });
      }
    }
    throw notFound("artifact");
  });
}

/**
 * A server of tools may have chosen bytes, type and name, so nothing of it may run here: it is saved and
 * not shown, save for plain pictures; its type is not guessed; and if a browser shows it all the same,
 * it has no origin, no scripts and no network.
 */
function headersOf({ mediaType, name, size, id }: ArtifactSummary): Record<string, string> {
  const type = isMediaType(mediaType) ? mediaType : "application/octet-stream";
  const isPicture = /^image\/(?:png|jpeg|gif|webp|avif)$/i.test(type);
  return {
    "content-type": type,
    "content-length": String(size),
    "content-disposition": `${isPicture ? "inline" : "attachment"}; ${fileNameOf(name ?? id)}`,
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    // Bytes of an id never change, but they are one caller's.
    "cache-control": "private, max-age=3600",
    etag: `"${id}"`,
  };
}

/** A name as RFC 6266 has it: for old readers in ASCII, and in full. */
function fileNameOf(name: string): string {
  const base = name.replace(/^.*[/\\]/su, "").slice(-200) || "file";
  const plain = base.replace(/[^\w.-]/g, "_");
  const whole = encodeURIComponent(base.toWellFormed()).replace(/['()*]/g, percent);
  return `filename="${plain}"; filename*=UTF-8''${whole}`;
}

const percent = (sign: string): string => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;

async function listArtifacts(
  query: Readonly<Record<string, string>>,
  caller: Caller,
  scope: ServerScope,
): Promise<{ readonly artifacts: readonly ArtifactSummary[]; readonly next?: string }> {
  const { runId, session } = query;
  const wanted = {
    ...pageQuery(query),
    ...whose(caller),
    ...(runId === undefined ? {} : { runId }),
    ...(session === undefined ? {} : { session }),
  };
  const stores = artifactStoresOf(scope);
  const pages = await Promise.all(stores.map(({ app, store }) => store.list({ ...wanted, app })));
  const artifacts = pages.flatMap((page) => page.artifacts);
  const next = pages.length === 1 ? pages[0]?.next : undefined;
  return { artifacts, ...(next === undefined ? {} : { next }) };
}

/** The stores of all agents, each once for an application. */
export function artifactStoresOf({ places }: ServerScope): readonly {
  readonly app: string;
  readonly store: ArtifactStore;
}[] {
  const all = places.all.flatMap(({ app, runtime }) => {
    const store = runtime.artifacts?.store;
    return store === undefined ? [] : [{ app, store }];
  });
  return all.filter(
    ({ app, store }, index) =>
      all.findIndex((one) => one.app === app && one.store === store) === index,
  );
}

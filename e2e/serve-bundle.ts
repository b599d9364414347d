import type { BrowserBundle } from "../test/browser-bundle.ts";
import { type LoopbackServer, startHttp } from "../test/loopback.ts";

/** A web site that holds one page, which loads a bundle's entry. */
export interface BundleSite extends AsyncDisposable {
  readonly server: LoopbackServer;
  /** File names of the chunks that were asked for, in order. */
  readonly requested: readonly string[];
}

/** Scripts of this site only, and no text turned into code: as a careful application has it. */
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; img-src data:";

/** Serves a bundle on the loopback interface. */
export async function serveBundle({ entry, chunks }: BrowserBundle): Promise<BundleSite> {
  const html = `<!doctype html><title>Dragoman</title><link rel="icon" href="data:,"><script type="module" src="/${entry.fileName}"></script>`;
  const requested: string[] = [];
  const server = await startHttp(({ url = "" }, response) => {
    const fileName = url.slice(1);
    const chunk = chunks.find((candidate) => candidate.fileName === fileName);
    if (fileName !== "") {
      requested.push(fileName);
    }
    response.setHeader("content-security-policy", contentSecurityPolicy);
    response.setHeader("content-type", chunk === undefined ? "text/html" : "text/javascript");
    response.statusCode = fileName === "" || chunk !== undefined ? 200 : 404;
    response.end(fileName === "" ? html : chunk?.code);
  });
  return { server, requested, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

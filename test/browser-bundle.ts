import { join, relative, sep } from "node:path";
import { build, type Rolldown } from "vite";

/** One file of a bundle. */
export interface BundledChunk {
  /** Its path in the bundle, as in `index.js` or `assets/esm-Bx1.js`. */
  readonly fileName: string;
  readonly code: string;
  /** What it was made of: paths from the repository's root, and the bundler's own modules by id. */
  readonly modules: readonly string[];
  /** File names of the chunks that are loaded with it. */
  readonly imports: readonly string[];
  /** File names of the chunks that it loads on demand. */
  readonly dynamicImports: readonly string[];
}

/** A program for the browser, as Vite builds it from one entry file. */
export interface BrowserBundle {
  readonly entry: BundledChunk;
  readonly chunks: readonly BundledChunk[];
}

const root = join(import.meta.dirname, "..");

/** Bundles a file, whose path starts at the repository's root, as an application's build would; writes nothing. */
export async function bundleForBrowser(entryFile: string): Promise<BrowserBundle> {
  const output = await build({
    root,
    configFile: false,
    logLevel: "silent",
    build: {
      write: false,
      minify: false,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        input: join(root, entryFile),
        preserveEntrySignatures: "strict",
        output: { entryFileNames: "[name].js" },
      },
    },
  });
  const { output: files } = output as Rolldown.RolldownOutput; // one input, one output, no watching
  const built = files.filter((file) => file.type === "chunk");
  const entry = built.find(({ isEntry }) => isEntry);
  if (entry === undefined) {
    throw new Error(`The bundle of ${entryFile} has no entry chunk.`);
  }
  return { entry: toChunk(entry), chunks: built.map(toChunk) };
}

/** A chunk and all that is loaded before it runs. */
export function withStaticImports(
  bundle: BrowserBundle,
  start: BundledChunk,
): readonly BundledChunk[] {
  const loaded = new Set([start]);
  for (const chunk of loaded) {
    for (const fileName of chunk.imports) {
      loaded.add(chunkOf(bundle, fileName));
    }
  }
  return [...loaded];
}

function chunkOf({ chunks }: BrowserBundle, fileName: string): BundledChunk {
  const chunk = chunks.find((other) => other.fileName === fileName);
  if (chunk === undefined) {
    throw new Error(`The bundle imports "${fileName}", which is not a part of it.`);
  }
  return chunk;
}

const toChunk = (chunk: Rolldown.OutputChunk): BundledChunk => ({
  fileName: chunk.fileName,
  code: chunk.code,
  modules: chunk.moduleIds.map((id) =>
    id.startsWith(root) ? relative(root, id).replaceAll(sep, "/") : id,
  ),
  imports: chunk.imports,
  dynamicImports: chunk.dynamicImports,
});

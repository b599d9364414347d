import { beforeAll, expect, test } from "vitest";
import { type BrowserBundle, bundleForBrowser, withStaticImports } from "./browser-bundle.ts";

/** What the bundler itself puts in. Its stand-in for `node:` modules is not among it. */
const bundlerModules = ["\0vite/preload-helper.js", "\0rolldown/runtime.js"];

const kernelModule =
  /^src\/((base|message|model|tool|agent|network)\/([a-z0-9-]+\/)*)?[a-z0-9-]+\.ts$/;

let bundle: BrowserBundle;

beforeAll(async () => {
  bundle = await bundleForBrowser("src/index.ts");
});

const loadedAtOnce = (): readonly string[] =>
  withStaticImports(bundle, bundle.entry)
    .flatMap(({ modules }) => modules)
    .filter((module) => !bundlerModules.includes(module));

test("a page that imports the package loads nothing but the kernel", () => {
  const modules = loadedAtOnce();
  expect(modules).toContain("src/agent/tool-loop.ts");
  expect(modules.filter((module) => !kernelModule.test(module))).toEqual([]);
});

test("the bundle imports nothing from outside itself", () => {
  const inside = bundle.chunks.map(({ fileName }) => fileName);
  const imported = bundle.chunks.flatMap((chunk) => [...chunk.imports, ...chunk.dynamicImports]);
  expect(imported.filter((fileName) => !inside.includes(fileName))).toEqual([]);
});

test.each([
  "src/mcp/toolset/mcp-toolset.ts",
  "src/models/offline/offline-model.ts",
  "src/models/openai/openai-compatible.ts",
  "src/http/http-request.ts",
  "node_modules/re2js/",
])("%s is loaded on demand", (module) => {
  const onDemand = withStaticImports(bundle, bundle.entry)
    .flatMap(({ dynamicImports }) => dynamicImports)
    .flatMap((fileName) => bundle.chunks.filter((chunk) => chunk.fileName === fileName));
  const modules = onDemand.flatMap((chunk) =>
    withStaticImports(bundle, chunk).flatMap((loaded) => loaded.modules),
  );
  expect(modules.some((loaded) => loaded.startsWith(module))).toBe(true);
});

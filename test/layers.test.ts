import { globSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { expect, test } from "vitest";

const kernel = ["base", "message", "model", "tool", "agent"];

/** What each folder of src/ may import besides itself, in reading order. ARCHITECTURE.md shows the same. */
const layers: Readonly<Record<string, readonly string[]>> = {
  base: [],
  message: ["base"],
  model: ["base", "message"],
  tool: ["base", "message"],
  agent: ["base", "message", "model", "tool"],
  network: kernel,
  http: ["base"],
  process: ["base"],
  credentials: ["base", "http"],
  models: ["base", "message", "model", "tool", "http"],
  mcp: ["base", "message", "model", "tool", "http", "process", "credentials"],
  tools: ["base", "message", "tool", "http", "process", "credentials"],
  stores: kernel,
  durable: [...kernel, "stores"],
  "durable/restate": [...kernel, "stores", "durable"],
  "durable/dbos": [...kernel, "stores", "durable"],
  "ag-ui": kernel,
  otel: [...kernel, "."],
  testing: [...kernel, "mcp", "http"],
  server: [
    ...kernel,
    "network",
    "http",
    "credentials",
    "models",
    "mcp",
    "tools",
    "stores",
    "durable",
    "ag-ui",
  ],
  cli: [
    ...kernel,
    "http",
    "credentials",
    "models",
    "mcp",
    "stores",
    "otel",
    "durable",
    "server",
    ".",
  ],
};

const relativeImport = /(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g;

function importsOf(file: string): readonly string[] {
  const targets = [...readFileSync(file, "utf8").matchAll(relativeImport)].map(([, path]) => path);
  return targets.map((target) => posix.join(posix.dirname(file), target ?? ""));
}

/** `src/base/json.ts` lies in `base`, `src/durable/dbos/x.ts` in `durable/dbos`, `src/index.ts` in `.`. */
const folderOf = (file: string): string => {
  const [, outer = "", inner = "", ...rest] = file.split("/");
  const folder = `${outer}/${inner}`;
  return rest.length > 0 && Object.hasOwn(layers, folder) ? folder : inner === "" ? "." : outer;
};

const sourcesOf = (folder: string): readonly string[] =>
  globSync(`src/${folder}/**/*.ts`).filter(
    (file) => !/\.test(-d)?\.ts$/.test(file) && folderOf(file) === folder,
  );

test.each(Object.keys(layers))("src/%s imports only the layers below it", (folder) => {
  const allowed = [folder, ...(layers[folder] ?? [])];
  const files = sourcesOf(folder);
  const wrong = files.flatMap((file) =>
    importsOf(file)
      .filter((target) => !allowed.includes(folderOf(target)))
      .map((target) => `${file} -> ${target}`),
  );
  expect(files).not.toHaveLength(0);
  expect(wrong).toEqual([]);
});

test("every folder of src/ has a layer", () => {
  const folders = globSync("src/*/").map((path) => path.replace(/^src\/|\/$/g, ""));
  const outer = Object.keys(layers).filter((folder) => !folder.includes("/"));
  expect(folders.toSorted()).toEqual(outer.toSorted());
});

test("inside the package a file is imported, never a folder's index", () => {
  const wrong = Object.keys(layers).flatMap((folder) =>
    sourcesOf(folder).flatMap((file) =>
      importsOf(file).filter((target) => target.endsWith("/index.ts") && target !== "src/index.ts"),
    ),
  );
  expect(wrong).toEqual([]);
});

test("the kernel imports no node: module and loads packages only on demand", () => {
  const wrong = kernel.flatMap((folder) =>
    sourcesOf(folder).flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/^import (?!type ).*["']([^."'][^"']*)["'];/gm)].map(
        ([line]) => `${file}: ${line}`,
      ),
    ),
  );
  expect(wrong).toEqual([]);
});

test("G-O1: of OpenTelemetry only the API is used, by src/otel alone, and it is optional", () => {
  const uses = globSync("src/**/*.ts")
    .filter((file) => !/\.test(-d)?\.ts$/.test(file))
    .flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/["'](@opentelemetry\/[\w-]+)/g)].map(
        ([, name]) => `${folderOf(file)} ${name}`,
      ),
    );
  expect(new Set(uses)).toEqual(new Set(["otel @opentelemetry/api"]));
  const { dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
    readFileSync("package.json", "utf8"),
  ) as Readonly<Record<string, object>>; // as npm has it
  const needed = Object.keys({ ...dependencies, ...peerDependencies });
  const ofTracing = needed.filter((name) => name.startsWith("@opentelemetry/"));
  expect(ofTracing).toEqual(["@opentelemetry/api"]);
  expect(peerDependenciesMeta).toMatchObject({ "@opentelemetry/api": { optional: true } });
});

/** What the web UI may know of the package: types of what the server sends and takes, and no code. */
const wire = [
  "ag-ui/ag-ui-event",
  "ag-ui/run-agent-input",
  "agent/run-event",
  "agent/run-store",
  "agent/session-store",
  "agent/waiting",
  "base/json",
  "message/content",
  "model/usage",
  "server/agent-routes",
  "server/agent-tools",
  "server/describe-agent",
  "server/workbench-routes",
  "tool/tool",
].map((name) => `src/${name}.ts`);

const webSources = globSync("web/**/*.{ts,tsx}").filter(
  (file) => !/\.(test|config)\.ts$/.test(file),
);

test("web/ imports of src/ nothing but types of the wire, and nobody imports web/", () => {
  const imports = webSources.flatMap((file) =>
    [
      ...readFileSync(file, "utf8").matchAll(/^(import|export)( type)?[^;]*? from "(\.[^"]+)";/gm),
    ].map(([, , type, path = ""]) => ({
      type,
      target: posix.join(posix.dirname(file), path),
      file,
    })),
  );
  const ofPackage = imports.filter(({ target }) => !target.startsWith("web/"));
  expect(ofPackage.length).toBeGreaterThan(20);
  expect(ofPackage.filter(({ type, target }) => !type || !wire.includes(target))).toEqual([]);
  const unused = wire.filter((file) => !ofPackage.some(({ target }) => target === file));
  expect(unused).toEqual([]);
  const inward = Object.keys(layers).flatMap((folder) =>
    sourcesOf(folder).filter((file) => importsOf(file).some((target) => target.startsWith("web/"))),
  );
  expect(inward).toEqual([]);
});

/** What each folder of web/ may import besides itself. */
const webLayers: Readonly<Record<string, readonly string[]>> = {
  wire: [],
  pieces: ["wire"],
  markdown: ["pieces"],
  forms: ["pieces"],
  chat: ["pieces", "wire", "markdown", "forms"],
  agents: ["pieces", "wire"],
  tools: ["pieces", "wire", "markdown", "forms", "chat"],
  runs: ["pieces", "wire", "markdown", "chat"],
};

test.each(Object.keys(webLayers))("web/%s imports only the folders below it", (folder) => {
  const allowed = [folder, ...(webLayers[folder] ?? [])].map((name) => `web/${name}/`);
  const files = webSources.filter((file) => file.startsWith(`web/${folder}/`));
  const wrong = files.flatMap((file) =>
    importsOf(file).filter(
      (target) => target.startsWith("web/") && !allowed.some((one) => target.startsWith(one)),
    ),
  );
  expect(files).not.toHaveLength(0);
  expect(wrong).toEqual([]);
});

test("ARCHITECTURE.md shows the same table", () => {
  const rows = readFileSync("ARCHITECTURE.md", "utf8").matchAll(
    /^\| ([\w/-]+) \| .* \| ([^|]*) \|$/gm,
  );
  const shown = [...rows].map(([, folder, allowed]) => [
    folder,
    allowed === "-" ? [] : (allowed ?? "").split(", "),
  ]);
  expect(
    Object.fromEntries(shown.filter(([folder]) => folder !== "folder" && folder !== "port")),
  ).toMatchObject(layers);
});

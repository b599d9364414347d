import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const index = fileURLToPath(new URL("./index.ts", import.meta.url));

/** The packages of which Node loads a file when it runs the program. */
async function packagesLoadedBy(program: string): Promise<readonly string[]> {
  const hook = `
    import { registerHooks } from "node:module";
    registerHooks({ load(url, context, next) {
      const [, name] = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url) ?? [];
      if (name) console.log(name);
      return next(url, context);
    } });
    ${program}
  `;
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--input-type=module",
    "-e",
    hook,
  ]);
  return [...new Set(stdout.trim().split("\n"))].filter((name) => name !== "");
}

test("importing dragoman/mcp loads no package but the parser of configurations", async () => {
  const url = JSON.stringify(index);
  expect(await packagesLoadedBy(`await import(${url});`)).toEqual(["jsonc-parser"]);
  const sdk = '"@modelcontextprotocol/client"';
  expect(await packagesLoadedBy(`await import(${sdk});`)).toContain("@modelcontextprotocol/client");
});

/** Whether Node has loaded its `fetch` once it has run the program. */
async function loadsFetch(program: string): Promise<boolean> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--input-type=module",
    "-e",
    `${program} console.log(process.moduleLoadList.some((name) => name.endsWith("undici/undici")));`,
  ]);
  return stdout.trim() === "true";
}

// Any import of node:http does so, which takes longer than all our own code.
test("importing what speaks HTTP does not load fetch", async () => {
  expect(await loadsFetch('import "node:http";')).toBe(true);
  for (const folder of ["http", "credentials", "models", "mcp"]) {
    const url = JSON.stringify(new URL(`../${folder}/index.ts`, import.meta.url).href);
    expect([folder, await loadsFetch(`await import(${url});`)]).toEqual([folder, false]);
  }
});

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

/** Which of the modules, imported in turn by one process, is the first with which Node has loaded `fetch`. */
async function firstToLoadFetch(modules: readonly string[]): Promise<string> {
  const program = `
    for (const module of ${JSON.stringify(modules)}) {
      await import(module);
      if (process.moduleLoadList.some((name) => name.endsWith("undici/undici"))) {
        console.log(module);
        break;
      }
    }
  `;
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--input-type=module",
    "-e",
    program,
  ]);
  return stdout.trim();
}

// Any import of node:http does so, which takes longer than all our own code.
test("importing what speaks HTTP does not load fetch", async () => {
  const ours = ["http", "credentials", "models", "mcp"].map(
    (folder) => new URL(`../${folder}/index.ts`, import.meta.url).href,
  );
  expect(await firstToLoadFetch([...ours, "node:http"])).toBe("node:http");
});

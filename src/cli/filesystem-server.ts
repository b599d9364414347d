import { createRequire } from "node:module";
import { join } from "node:path";
import type { McpServerConfig } from "../tool/mcp-server-config.ts";

const packageName = "@modelcontextprotocol/server-filesystem";

/** What npx fetches where it is not installed: a version, so that nothing changes by itself. */
const packageVersion = "2026.8.31";

/** The reference filesystem server over a folder, and whether it must be fetched first. */
export function filesystemServer(folder: string): {
  readonly config: McpServerConfig;
  readonly isInstalled: boolean;
} {
  const program = findProgram([join(folder, "package.json"), import.meta.url]);
  const isInstalled = program !== undefined;
  const started = isInstalled
    ? { command: process.execPath, args: [program, folder] }
    : { command: "npx", args: ["-y", `${packageName}@${packageVersion}`, folder] };
  return {
    config: {
      name: "files",
      description: "Files and folders: list, read, search, write.",
      transport: { type: "stdio", ...started },
      // A first start may have to fetch the package.
      ...(isInstalled ? {} : { timeoutMs: 60_000 }),
    },
    isInstalled,
  };
}

/** The program of the package, as installed where one of these files is. */
function findProgram(places: readonly string[]): string | undefined {
  for (const place of places) {
    try {
      return createRequire(place).resolve(`${packageName}/dist/index.js`);
    } catch {
      // It is not there; the next place may have it.
    }
  }
  return undefined;
}

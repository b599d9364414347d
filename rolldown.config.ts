import { globSync } from "node:fs";
import { defineConfig, type RolldownOptions } from "rolldown";

/** Entries are what `exports` and `bin` of package.json name, and the program that `testing` starts. */
const entries = [
  "src/index.ts",
  ...globSync(["src/*/index.ts", "src/durable/*/index.ts"]),
  "src/cli/main.ts",
  "src/testing/hostile-stdio-server.ts",
];

/** What is loaded together lies in one file: a module of its own costs Node more than its code does. */
const config: RolldownOptions = defineConfig({
  input: Object.fromEntries(
    entries.map((file) => [file.slice("src/".length, -".ts".length), file]),
  ),
  platform: "node",
  external: /^(?!@oxc-project\/runtime)[^./\0]/,
  transform: { target: "es2024" },
  output: {
    dir: "dist",
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name].js",
    sourcemap: true,
    comments: { annotation: true, jsdoc: false, legal: false },
    codeSplitting: {
      groups: [
        { name: "kernel", test: /\/src\/(?:base|message|model|tool)\// },
        { name: "agent", test: /\/src\/(?:agent|network)\// },
        { name: "dragoman", test: /\/src\/[^/]+\.ts$/ },
        { name: "http", test: /\/src\/http\/(?!proxy-tunnel)/ },
        {
          name: "mcp",
          test: /\/src\/mcp\/(?:mcp-client|mcp-toolset|parse-mcp-server-config)\.ts$/,
        },
        { name: "models", test: /\/src\/models\/(?!offline|ai-sdk)/ },
      ],
    },
  },
});

export default config;

import { join } from "node:path";
import { defineConfig, type ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 180_000,
    // Tests start our own sources again and again: they are stripped of types and compiled once.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/compiled") },
    // Of the tests that say they are concurrent: each starts two processes.
    maxConcurrency: 3,
    ...(process.env["CI"] && {
      reporters: ["default", "json"],
      outputFile: { json: "../reports/e2e.json" },
    }),
  },
});

export default config;

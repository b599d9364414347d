import { defineConfig, type UserConfig } from "vite";

/** The web UI: built into `dist/web`, from where `dragoman/server` serves it below `/ui/`. */
const config: UserConfig = defineConfig({
  root: import.meta.dirname,
  // Relative, so that a router may put the server below a path of its own.
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    target: "es2024",
    // The page's policy allows no data in place of a file that it loads.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: "licenses.md" },
  },
  // `npm run dev:web`, beside a server at its usual address.
  server: {
    proxy: {
      "^/(server|agents|runs|sessions|artifacts)(/|$|\\?)": "http://127.0.0.1:4141",
    },
  },
});

export default config;

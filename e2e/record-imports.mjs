// Prints, as JSON, the address of every module that the import of its argument resolves:
// node record-imports.mjs SPECIFIER
import { registerHooks } from "node:module";

const resolved = [];
registerHooks({
  resolve(specifier, context, nextResolve) {
    const result = nextResolve(specifier, context);
    resolved.push(result.url);
    return result;
  },
});
await import(process.argv[2]);
console.log(JSON.stringify(resolved));

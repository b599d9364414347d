import { registerHooks } from "node:module";

/** Our sources find here what only these tests have installed. Import it before they load a peer. */
registerHooks({
  resolve: (specifier, context, next) =>
    /^@(restatedev|dbos-inc)\//.test(specifier)
      ? next(specifier, { ...context, parentURL: import.meta.url })
      : next(specifier, context),
});

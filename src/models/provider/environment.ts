/**
 * The process's environment, where there is a process. A model that is made by hand has no
 * configuration behind it: what its provider's own tools look up is looked up here, and nothing else.
 */
export const environment = (): Readonly<Record<string, string | undefined>> =>
  globalThis.process?.env ?? {};

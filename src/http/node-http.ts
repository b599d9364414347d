/**
 * Node's HTTP module. An `import` of it reads every export, among them those for which Node loads all
 * of its `fetch`; that takes longer than a first request.
 */
export const nodeHttp: typeof import("node:http") = process.getBuiltinModule("node:http");

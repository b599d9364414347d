import { closestName } from "../base/closest-name.ts";
import type { McpError } from "../mcp/wire/mcp-error.ts";
import type { McpServerConfig, StdioTransport } from "../tool/mcp-server-config.ts";
import { type Finding, finding } from "./finding.ts";

/** A program that was started and is of no use. */
export interface ProgramEnd {
  readonly config: McpServerConfig;
  readonly transport: StdioTransport;
  readonly error: McpError;
  readonly message: string;
  /** What it wrote, as far as it is known. */
  readonly evidence: readonly string[];
}

/** Why a program cannot be used, by what it wrote before its end. */
export function explainProgramEnd(end: ProgramEnd): readonly Finding[] {
  const { error, message, evidence } = end;
  const written = evidence.join("\n");
  const found = reasons.find(([pattern]) => pattern.test(written));
  const variables = missingVariables(written, end.transport);
  if (variables !== undefined) {
    return [finding("error", "variable-missing", { message, evidence, advice: variables })];
  }
  if (found !== undefined) {
    const [, code, advice] = found;
    return [finding("error", code, { message, evidence, advice })];
  }
  const [code, advice] = unknownRevision(message) ?? usual(error.code);
  return [finding("error", code, { message, evidence, advice })];
}

/** What programs write, and what it means. The first that fits counts. */
const reasons: readonly (readonly [pattern: RegExp, code: string, advice: string])[] = [
  [
    /npx canceled due to missing packages/,
    "package-not-installed",
    'Put "-y" first in "args", so that npx installs the package, or install it beforehand.',
  ],
  [
    /npm (?:error|ERR!)[^\n]*(?:E?404|not found)|not in the npm registry|No solution found when resolving/i,
    "package-not-found",
    'There is no package of that name or version: check the spelling in "args".',
  ],
  [
    /Cannot find module|ERR_MODULE_NOT_FOUND|ModuleNotFoundError|No module named|ImportError/,
    "module-missing",
    'A file or a package that it needs is not there: check the path in "args", and install what it depends on (or build it).',
  ],
  [
    /can't open file|No such file or directory|ENOENT/,
    "file-missing",
    'A file that it needs is not there: check the paths in "args"; relative ones are looked for in "cwd".',
  ],
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET|network (?:is )?unreachable/i,
    "network",
    "It cannot reach something on the network that it needs: a registry, a database, an interface.",
  ],
  [
    /EADDRINUSE|address already in use/i,
    "port-taken",
    'It wants a port, so it seems to be a server over HTTP: start it yourself and give its "url", or look for its option for stdio.',
  ],
  [
    /https?:\/\/(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\])|(?:listening|running) (?:on|at) (?:port|https?)/i,
    "wrong-transport",
    'It waits for connections over HTTP: start it yourself and give its "url", or look for its option for stdio.',
  ],
  [
    /EBADENGINE|Unsupported engine|requires? (?:Node|Python)|SyntaxError/i,
    "wrong-runtime",
    "It does not run on this version of its runtime: install the version that its documentation names.",
  ],
  [
    /docker daemon|dockerd|docker\.sock/i,
    "docker-not-running",
    "Start Docker, and see that you may use it.",
  ],
  [
    /EACCES|permission denied/i,
    "permission-denied",
    "It may not read or write something that it needs: look at the permissions of what it names.",
  ],
  [
    /^\s*usage:|unknown option|unrecognized argument|unexpected argument|missing required|invalid (?:option|argument)/im,
    "arguments-refused",
    'It does not take these arguments: compare "args" with its documentation.',
  ],
];

/** Variables that it asks for, and which of those that it has may be meant. */
function missingVariables(written: string, { env = {} }: StdioTransport): string | undefined {
  const lines = written
    .split("\n")
    .filter((line) =>
      /required|missing|not set|must (?:be )?set|undefined|provide|environment/i.test(line),
    );
  const names = lines.flatMap((line) => line.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? []);
  const missing = [...new Set(names)].filter(
    (name) => !(name in env) && !/^(?:ERR|NODE)_/.test(name),
  );
  const [first] = missing;
  if (first === undefined) {
    return undefined;
  }
  const close = closestName(first, Object.keys(env));
  const hint = close === undefined ? "" : ` Your "env" has "${close}": is that what is meant?`;
  const entries = missing.map((name) => `"${name}": "\${${name}}"`).join(", ");
  return `It wants ${missing.join(", ")}, and gets only what "env" names: add "env": { ${entries} }.${hint}`;
}

/** The code and the advice where a server speaks a revision of MCP that is not known. */
export function unknownRevision(
  message: string,
): readonly [code: string, advice: string] | undefined {
  if (/does not speak the revision/.test(message)) {
    return ["revision-refused", 'Set "protocol" of the server to "auto" or "legacy".'];
  }
  return /speaks the revision/.test(message)
    ? [
        "unknown-revision",
        "Update Dragoman where the server is newer, or the server where it is older than MCP itself.",
      ]
    : undefined;
}

function usual(code: McpError["code"]): readonly [code: string, advice: string] {
  switch (code) {
    case "mcp-timeout":
      return [
        "timeout",
        'It runs, but does not answer as an MCP server over stdio does. Is it one, and is it slow? Then raise "timeoutMs".',
      ];
    case "mcp-connect-failed":
      return ["cannot-start", "Try the command in a terminal."];
    case "mcp-connection-closed":
      return [
        "exited",
        "Try the command in a terminal: it should wait for input, and end with Ctrl-D.",
      ];
    case "mcp-limit":
      return ["too-large", "It sends more than an MCP server has to say. Is it one?"];
    default:
      return [
        "not-mcp",
        "It answers, but not as an MCP server does: check the command and its arguments.",
      ];
  }
}

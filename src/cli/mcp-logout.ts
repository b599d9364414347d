import { messageOf } from "../base/dragoman-error.ts";
import type { EndedAccess } from "../mcp/authorization/oauth-login.ts";
import { McpAuthorization } from "../mcp/client/mcp-authorization.ts";
import { type Answer, answering } from "./answer.ts";
import type { CliStreams } from "./cli-streams.ts";
import type { ExitCode } from "./exit-code.ts";
import type { McpOptions } from "./mcp-group.ts";
import { serverToLogIn } from "./server-to-log-in.ts";
import { terminalLine, terminalText } from "./terminal-text.ts";

/**
 * `dragoman mcp logout`: removes the tokens of a server here, and has them taken back by whoever gave
 * them. Where that fails, which is told, they are removed here all the same.
 */
export function mcpLogout(
  name: string,
  options: McpOptions,
  streams: CliStreams,
): Promise<ExitCode> {
  return answering(options, streams, async (secrets): Promise<Answer> => {
    const { config } = await serverToLogIn(name, options, streams, secrets);
    const ended = await new McpAuthorization(config).forget();
    const isWhole = ended.kind !== "failed";
    const error = isWhole
      ? {}
      : { error: { code: "revocation-failed", message: messageOf(ended.error) } };
    if (!isWhole) {
      streams.stderr.write(`error: ${terminalText(messageOf(ended.error))}\n`);
    }
    return {
      document: { server: name, revocation: ended.kind, ...error },
      text: outcomeOf(ended, name),
      exitCode: isWhole ? 0 : 1,
    };
  });
}

function outcomeOf(ended: EndedAccess, name: string): string {
  switch (ended.kind) {
    case "nothing":
      return `There were no tokens of ${name} here.`;
    case "revoked":
      return `The tokens of ${name} are removed here, and ${hostOf(ended)} has taken them back.`;
    case "unsupported":
      return `The tokens of ${name} are removed here. ${hostOf(ended)} has no way to be told: take the access back on its own pages.`;
    case "failed":
      return `The tokens of ${name} are removed here only.`;
  }
}

const hostOf = ({ issuer }: { readonly issuer: string }): string =>
  terminalLine(new URL(issuer).host, 200);

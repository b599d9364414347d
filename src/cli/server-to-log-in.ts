import type { McpOAuth } from "../tool/mcp-oauth.ts";
import type { McpServerConfig } from "../tool/mcp-server-config.ts";
import { CliError } from "./cli-error.ts";
import type { CliStreams } from "./cli-streams.ts";
import type { McpOptions } from "./mcp-group.ts";
import { readSomeTargets, secretsOf, serverNamed } from "./mcp-targets.ts";
import { TokenFile } from "./token-file.ts";
import { withLogin } from "./with-login.ts";

/** A server to which a person grants access. */
export interface ServerToLogIn {
  readonly config: McpServerConfig;
  readonly auth: McpOAuth;
}

/**
 * The server of a name, with the file in which tokens are kept.
 *
 * @param secrets is added to: what may be written nowhere.
 * @throws CliError `unknown-server`; `invalid-usage` where there is nothing to log in to.
 */
export async function serverToLogIn(
  name: string,
  options: McpOptions,
  streams: CliStreams,
  secrets: string[],
): Promise<ServerToLogIn> {
  const targets = await readSomeTargets(options, streams.env);
  secrets.push(...targets.flatMap(secretsOf));
  const config = withLogin(serverNamed(targets, name).config, new TokenFile(streams.env));
  const { transport } = config;
  const auth = transport.type === "stdio" ? undefined : transport.auth;
  if (auth === undefined || !("type" in auth)) {
    const why = transport.type === "stdio" ? "is a program on this machine" : "has a token already";
    throw new CliError(`There is nothing to log in to: ${name} ${why}.`, { code: "invalid-usage" });
  }
  if (auth.grant !== undefined && auth.grant !== "authorization-code") {
    throw new CliError(
      `Nobody need log in to ${name}: with the grant "${auth.grant}" it gets its tokens by itself.`,
      { code: "invalid-usage" },
    );
  }
  return { config, auth };
}

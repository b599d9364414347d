import { openLoopbackRedirect } from "../credentials/loopback-redirect.ts";
import { McpAuthorization } from "../mcp/mcp-authorization.ts";
import type { McpOAuth } from "../tool/mcp-oauth.ts";
import type { McpServerConfig } from "../tool/mcp-server-config.ts";
import { type Answer, answering } from "./answer.ts";
import { CliError } from "./cli-error.ts";
import type { CliStreams } from "./cli-streams.ts";
import type { ExitCode } from "./exit-code.ts";
import type { McpLoginOptions, McpOptions } from "./mcp-group.ts";
import { readSomeTargets, secretsOf, serverNamed } from "./mcp-targets.ts";
import { openBrowser } from "./open-browser.ts";
import { terminalLine } from "./terminal-text.ts";
import { TokenFile } from "./token-file.ts";
import { withLogin } from "./with-login.ts";

/**
 * `dragoman mcp login`: shows the page at which a person grants access to a server, waits until they
 * have, and keeps the tokens for every other command. The page is written to standard error at once.
 */
export function mcpLogin(
  name: string,
  options: McpLoginOptions,
  streams: CliStreams,
): Promise<ExitCode> {
  return answering(options, streams, async (secrets): Promise<Answer> => {
    const { config, auth } = await serverToLogIn(name, options, streams, secrets);
    const authorization = new McpAuthorization(config);
    const { signal } = streams;
    await using listener = await openLoopbackRedirect(loopbackOf(auth, name));
    const { redirectUri } = listener;
    const { url, state, issuer, scopes } = await authorization.start({ redirectUri });
    const page = new URL(url).href;
    streams.stderr.write(
      `Grant access to ${name} on this page of ${issuerLine(issuer)}:\n\n  ${page}\n\n`,
    );
    if (options.open && !(await openBrowser(page, process.platform))) {
      streams.stderr.write("No browser could be opened here: open the page yourself.\n");
    }
    const answer = await listener.answer(state, { signal: AbortSignal.any([signal, tooLate()]) });
    await authorization.finish(answer);
    const what = scopes.length === 0 ? "" : ` (${terminalLine(scopes.join(" "), 500)})`;
    return {
      document: { server: name, issuer, scopes: [...scopes] },
      text: `Access to ${name} was granted${what}.`,
      exitCode: 0,
    };
  });
}

/** `dragoman mcp logout`: forgets the tokens of a server. */
export function mcpLogout(
  name: string,
  options: McpOptions,
  streams: CliStreams,
): Promise<ExitCode> {
  return answering(options, streams, async (secrets): Promise<Answer> => {
    const { config } = await serverToLogIn(name, options, streams, secrets);
    await new McpAuthorization(config).forget();
    return {
      document: { server: name },
      text: `The tokens of ${name} are forgotten here. Where access was granted it can be taken back, too.`,
      exitCode: 0,
    };
  });
}

/** A little less than the store keeps the question. */
const tooLate = (): AbortSignal => AbortSignal.timeout(9 * 60_000);

const issuerLine = (issuer: string): string => terminalLine(new URL(issuer).host, 200);

async function serverToLogIn(
  name: string,
  options: McpOptions,
  streams: CliStreams,
  secrets: string[],
): Promise<{ readonly config: McpServerConfig; readonly auth: McpOAuth }> {
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

/** Where a client that is registered must listen; only on this machine can we. */
function loopbackOf({ redirectUri }: McpOAuth, name: string): string | undefined {
  if (redirectUri !== undefined && new URL(redirectUri).protocol !== "http:") {
    throw new CliError(
      `The "redirectUri" of ${name} is not on this machine, so that the answer cannot come here. Register http://127.0.0.1/callback for its client, and set that.`,
      { code: "invalid-usage" },
    );
  }
  return redirectUri;
}

import { openLoopbackRedirect } from "../credentials/loopback-redirect.ts";
import { McpAuthorization } from "../mcp/client/mcp-authorization.ts";
import type { McpOAuth } from "../tool/mcp-oauth.ts";
import { type Answer, answering } from "./answer.ts";
import { CliError } from "./cli-error.ts";
import type { CliStreams } from "./cli-streams.ts";
import type { ExitCode } from "./exit-code.ts";
import type { McpLoginOptions } from "./mcp-group.ts";
import { openBrowser } from "./open-browser.ts";
import { readPastedAnswer } from "./pasted-answer.ts";
import { serverToLogIn } from "./server-to-log-in.ts";
import { terminalLine } from "./terminal-text.ts";

/**
 * `dragoman mcp login`: shows the page at which a person grants access to a server, waits until they
 * have, and keeps the tokens for every other command. The page is written to standard error at once. The
 * answer comes to a listener on this machine, or is pasted by a person whose browser is on another one.
 */
export function mcpLogin(
  name: string,
  options: McpLoginOptions,
  streams: CliStreams,
): Promise<ExitCode> {
  return answering(options, streams, async (secrets): Promise<Answer> => {
    const { config, auth } = await serverToLogIn(name, options, streams, secrets);
    const authorization = new McpAuthorization(config);
    await using listener = await openLoopbackRedirect(loopbackOf(auth, name));
    const { redirectUri } = listener;
    const { url, state, issuer, scopes } = await authorization.start({ redirectUri });
    const page = new URL(url).href;
    streams.stderr.write(
      `Grant access to ${name} on this page of ${terminalLine(new URL(issuer).host, 200)}:\n\n  ${page}\n\n`,
    );
    if (
      options.open &&
      !(await openBrowser(page, { platform: process.platform, env: streams.env }))
    ) {
      streams.stderr.write("No browser could be opened here: open the page yourself.\n");
    }
    if (streams.stdin !== undefined) {
      streams.stderr.write(
        `If your browser is on another machine, it ends at an address that does not load, and begins with ${redirectUri}: paste that address here.\n`,
      );
    }
    const late = AbortSignal.timeout(patienceMs);
    const signal = AbortSignal.any([streams.signal, late]);
    const answered = new AbortController();
    const expected = { redirectUri, state, signal: AbortSignal.any([signal, answered.signal]) };
    const answer = await Promise.race([
      listener.answer(state, { signal }),
      readPastedAnswer(streams, expected),
    ])
      .catch((error: unknown) => {
        throw late.aborted ? tooLate(name) : error;
      })
      .finally(() => answered.abort());
    await authorization.finish(answer);
    const what = scopes.length === 0 ? "" : ` (${terminalLine(scopes.join(" "), 500)})`;
    return {
      document: { server: name, issuer, scopes: [...scopes] },
      text: `Access to ${name} was granted${what}.`,
      exitCode: 0,
    };
  });
}

/** A little less than the store keeps the question. */
const patienceMs = 9 * 60_000;

const tooLate = (name: string): CliError =>
  new CliError(`Nobody has granted access to ${name} within nine minutes. Begin again.`, {
    code: "login-expired",
  });

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

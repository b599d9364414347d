import { createInterface, type Interface } from "node:readline";
import type { CliStreams } from "./cli-streams.ts";

/** What is waited for. */
export interface ExpectedAnswer {
  /** Where the browser is sent to. */
  readonly redirectUri: string;
  /** Comes back with the answer. */
  readonly state: string;
  /** Ends the wait: somebody has given up, or the browser itself has brought the answer. */
  readonly signal: AbortSignal;
}

/**
 * The URL at which the browser ended, pasted by a person whose browser is on another machine. Anything
 * else that they write is turned away in words, and waited on; what they wrote is never repeated, since
 * it may hold a code. It stays pending where the input ends, or the wait.
 */
export function readPastedAnswer(
  { stdin, stderr }: Pick<CliStreams, "stdin" | "stderr">,
  { redirectUri, state, signal }: ExpectedAnswer,
): Promise<URL> {
  return new Promise((resolve) => {
    if (stdin === undefined || signal.aborted) {
      return;
    }
    // A terminal in its usual mode would cut a line, and such addresses are long.
    const isTerminal = "isTTY" in stdin && stdin.isTTY === true;
    const lines: Interface = createInterface({
      input: stdin,
      ...(isTerminal ? { output: stderr, terminal: true } : {}),
    });
    const close = (): void => lines.close();
    signal.addEventListener("abort", close, { once: true });
    lines.on("close", () => signal.removeEventListener("abort", close));
    // In that mode the terminal itself sends no signal.
    lines.on("SIGINT", () => void process.emit("SIGINT", "SIGINT"));
    lines.on("line", (line) => {
      const url = answerIn(line, redirectUri);
      if (line.trim() === "") {
        return;
      }
      if (url?.searchParams.get("state") === state) {
        lines.close();
        resolve(url);
        return;
      }
      const fault =
        url === undefined || !(url.searchParams.has("code") || url.searchParams.has("error"))
          ? `That is not it: the address begins with ${redirectUri}? and has a code. Copy all of it from the browser.`
          : "That is the answer to another question. Open the page above, and paste the address at which it ends.";
      stderr.write(`${fault}\n`);
    });
  });
}

/** What was written as a URL: the whole address, or what stands behind its question mark. */
function answerIn(line: string, redirectUri: string): URL | undefined {
  const text = line.trim().replace(/^["'<]|["'>]$/g, "");
  const url = URL.parse(
    /^\??(?:\w+=)/.test(text) ? `?${text.replace(/^\?/, "")}` : text,
    redirectUri,
  );
  return url === null || url.pathname !== new URL(redirectUri).pathname ? undefined : url;
}

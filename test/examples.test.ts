import { execFile } from "node:child_process";
import { globSync, readdirSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);

/** What each example must print; `npm test` builds the package that they import. */
const expected: Readonly<Record<string, readonly RegExp[]>> = {
  "quickstart.ts": [/refund_policy/, /\b3\b/],
  "watch-a-run.ts": [/^calls list_directory \{ path: /m, /agents\.md/, /^completed$/m],
  "callers-own-token.ts": [
    /the server saw Bearer token-of-ada/,
    /the server saw Bearer token-of-bob/,
    /ada completed \[\s+\{\s+name: .help-center./,
  ],
  "server-by-url.ts": [/^completed .*The meeting .*standup.* is in the blue room/m],
  "http-tool.ts": [
    /the server saw GET \/v1\/orders\/7\?fields=state$/m,
    /shipped/,
    /\/v1\/orders\/7\?fields=… 200$/m,
    /kind: 'success',\s+value: null/,
    /169\.254\.169\.254 is not a public address/,
  ],
  "credentials.ts": [/Bearer token-1/, /secret: \[secret\]/, /^send ann to \/authorize$/m],
  "artifacts.ts": [
    /^sha256- sales\.csv text\/csv 15$/m,
    /^ref-\w{3} report\.txt text\/plain 13$/m,
    /^kept for ann: sales\.csv$/m,
    /day,total/,
    /is at reports\/11, as artifact ref-/,
  ],
  "tool-parameters.ts": [
    /^train string required $/m,
    /^class string optional \[ 'first', 'second' \]$/m,
  ],
  "testing.ts": [
    /^Blue has twelve seats\.$/m,
    /^2 tool$/m,
    /^It took too long\.$/m,
    /^- days: must be "integer", got "three"$/m,
    /^ignores-end \(stdio\): a server that goes on when its input ends/m,
  ],
  "runtime.ts": [/^pro$/m, /^Blue has twelve\. 1$/m, /tool: 'look_up_seats'/],
  "sessions.ts": [/^4 messages, last: /m, /^ann's visits: 2$/m, /^bob failed session-conflict$/m],
  "mcp-client.ts": [/^list_directory$/m, /mcp\.md/, /^not connected: McpError: .*refused/m],
  "mcp-answers.ts": [/^everything asks: Please provide inputs/m, /Name: Ann/],
  "mcp-oauth.ts": [
    /^Grant access at 127\.0\.0\.1:/m,
    /seen with token-1/,
    /^ann .*seen with token-2/m,
    /^bob .*wants access to be granted/m,
  ],
  "mcp-toolset.ts": [/^mapped the result of list_directory$/m, /mcp\.md/, /wiki\.example/],
  "pins.ts": [
    /^has read_text_file, list_directory$/m,
    /"write_file".* are not pinned, so they are left out/,
  ],
  "ag-ui.ts": [
    /^401 .*"code":"unauthorized"/m,
    /^\[ 'May the agent call refund\? \(call_1\)' \]$/m,
    /^call_1 Refunded, says ann\.$/m,
    /^RUN_STARTED TOOL_CALL_RESULT .* RUN_FINISHED$/m,
  ],
  "server.ts": [
    /^401$/m,
    /agUi: '\/agents\/desk\/ag-ui'/,
    /^\[ 'approval:call_1' \]$/m,
    /^\[ 'completed', 'It is done\.' \]$/m,
    /^\[ 'ask_desk', 'refund' \]$/m,
    /text: 'Good day\.'/,
  ],
  "webhooks.ts": [
    /^202 \{ runId: 'shop_[0-9a-f]{32}', status: 'accepted' \}$/m,
    /^202 \{[\s\S]*?duplicate: true\s*\}$/m,
    /^401$/m,
    /^POST \/pager msg_…$/m,
    /^\[ 'completed', 'I have called somebody\.' \]$/m,
    /^POST \/ends msg_…$/m,
  ],
  "discovery.ts": [
    /^chosen \[\s+\{ name: 'files', chosen: true, score: 1 \},\s+\{ name: 'memory', chosen: false,/m,
    /^chosen list_directory /m,
    /^connected memory$/m,
    /^chosen create_entities /m,
    /^completed$/m,
  ],
  "sequence.ts": [
    /The facts: Blue has twelve seats/,
    /^research completed 1$/m,
    /^write completed 1$/m,
  ],
  "parallel.ts": [/^## style\n\nFine\.$/m, /status: 'completed', text: 'A token is logged\.'/],
  "loop.ts": [/^A short text\. 4$/m],
  "graph.ts": [/^sort > page > log = Logged\.$/m],
  "swarm.ts": [/^now: desk > front\nnow: desk > billing\nThe second charge is refunded\.$/m],
  "network.ts": [
    /^office > look server-connect$/m,
    /^office > look tool-end$/m,
    /^completed \[ 'look', 'tell' \]$/m,
  ],
  "workflow.ts": [/^T-1 9$/m],
  "subagents.ts": [/^assistant > research said: Blue has twelve seats\.\nTwelve people fit in\.$/m],
  "durable-runs.ts": [
    /^the first process: suspended\npaid, .*\nthe second process: completed The refund/m,
    /^followed to the end: completed$/m,
    /^started: suspended approval:call_1\ndecided: completed$/m,
    /^erased: \{ sessions: 0, runs: 2, artifacts: 0 \}$/m,
  ],
  "approvals.ts": [/^approval:call_1 a refund above 50\ncompleted It is on its way\.$/m],
  "live-agent.ts": [/^\[\] true\ncompleted\ncompleted$/m],
  "own-model.ts": [/^You asked: What is new\?$/m, /^adapter:big$/m],
  "tracing.ts": [
    /^chat scripted, execute_tool balance, chat scripted, invoke_agent bank$/m,
    /^chat scripted true 1\ninvoke_agent bank true 1$/m,
  ],
  "durable-engines.ts": [/^the agent alone: suspended$/m, /^on Restate: set /m, /^on DBOS: set /m],
  "workspace.ts": [
    /^in a sandbox: It says 42\.$|^no sandbox here: Sandboxes are made by bubblewrap/m,
    /^tools: read_file, .*, run_command$/m,
    /^project\/notes, project\/notes\/today\.md, project\/sum\.sh$/m,
    /^outside$/m,
  ],
  "start.ts": [/^! No language model/, ...readdirSync("docs").map((name) => new RegExp(name))],
};

test.each(globSync("examples/*.ts"))(
  "%s runs and prints what it should",
  async (path) => {
    const patterns = expected[path.replace(/^.*[/\\]/, "")];
    const { stdout } = await run(process.execPath, [path], { timeout: 60_000 });
    expect(patterns).not.toBeUndefined();
    for (const pattern of patterns ?? []) {
      expect(stdout).toMatch(pattern);
    }
  },
  60_000,
);

test("npm start takes a question, or a command of the command line", async () => {
  const ask = (...args: readonly string[]) => run(process.execPath, ["examples/start.ts", ...args]);
  const { stdout } = await ask("Read models.md", "--quiet");
  expect(stdout).toMatch(/The offline model/);
  expect((await ask("run", "--help")).stdout).toMatch(/^Usage: dragoman run/);
}, 60_000);

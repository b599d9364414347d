import { expect } from "vitest";
import type { HostileCase, HostileTransport } from "../src/testing/hostile-cases.ts";
import type { HostileFacts } from "./fixtures/mcp/meet-hostile-toolset.ts";

/** What must come of a meeting with a hostile server. */
export interface HostileExpectation {
  /** How opening it fails; absent where it must open. */
  readonly openError?: RegExp;
  /** How the call fails; over stdio and HTTP, where they differ. */
  readonly callError?: RegExp | { readonly stdio: RegExp; readonly http: RegExp };
  /** What the call gives. */
  readonly result?: RegExp;
  /** How many tools are taken; the two of every server where nothing is said. */
  readonly tools?: number;
  /** One for each notice, in order; none where nothing is said. */
  readonly notices?: readonly RegExp[];
  /** The server's time limit. Default 3 s. */
  readonly timeoutMs?: number;
  /** The longest that it may take, closing included. Default 20 s: a bound, not a measure. */
  readonly withinMs?: number;
  /**
   * What the process may grow by, in MiB. Default 30, three times the limit of one message; a little
   * more for events, which are held as bytes and as text.
   */
  readonly growthMiB?: number;
}

const tooLarge = { callError: /^tool-response-too-large: .*"hostile".*more than 10485760 bytes/ };
const done = /"success".*Done\./;
const echoed = /"success"/;
const timeout = /^tool-timeout: .*"hostile".*did not answer tools\/call within \d+ ms/;

/** Every kind of hostile server, and what must come of it. */
export const hostileTable: Readonly<Record<HostileCase, HostileExpectation>> = {
  "huge-message": tooLarge,
  "huge-event": { ...tooLarge, growthMiB: 45 },
  "huge-error-body": { callError: /^tool-http: .*"hostile".*HTTP 500/ },
  "endless-message": { ...tooLarge, growthMiB: 45 },
  "never-answers": { callError: timeout },
  "never-initializes": { openError: /^mcp-timeout: .*"hostile".*handshake within 3000 ms/ },
  // A call may take 20 times the limit while progress is reported.
  "endless-progress": { callError: timeout, timeoutMs: 1_500, withinMs: 60_000 },
  "dies-mid-call": { callError: /^tool-network: .*"hostile".*exit code 7/ },
  "half-message": { callError: /^tool-network: .*"hostile"/ },
  "grandchild-holds-pipe": { callError: /^tool-network: .*"hostile".*exit code 0/ },
  "ignores-end": { result: echoed },
  "garbage-before-handshake": { result: echoed },
  "invalid-json": {
    callError: { stdio: timeout, http: /^tool-failed: .*sent what is not an answer of JSON-RPC/ },
  },
  "invalid-number": {
    callError: {
      stdio:
        /^tool-failed: .*"hostile".*answered with neither a result that is an object nor an error/,
      http: /^tool-failed: .*sent what is not an answer of JSON-RPC 2.0: .*NaN/,
    },
  },
  "html-answer": { callError: /^tool-failed: .*content type "text\/html"/ },
  "accepted-without-answer": { callError: /^tool-failed: .*HTTP 202/ },
  "ends-without-answer": { callError: /^tool-network: .*without an answer/ },
  "socket-destroyed": { callError: /^tool-network: .*closed the connection without an answer/ },
  "session-lost": { callError: /^tool-http: .*HTTP 404/ },
  "too-many-requests": { callError: /^tool-http: .*HTTP 429/ },
  unavailable: { callError: /^tool-http: .*HTTP 503/ },
  "wrong-id": { callError: timeout },
  "duplicate-answer": { result: /"success".*first/ },
  "unknown-content": { result: /"success".*of the type .*hologram.*Done\./ },
  "malformed-content": { result: /"success".*a malformed block.*a malformed image/ },
  "malformed-tool": {
    result: echoed,
    notices: Array.from(
      { length: 5 },
      () => /^mcp-tool-malformed: MCP server "hostile": The tool /,
    ),
  },
  "duplicate-tools": { result: echoed, notices: [/^mcp-tool-duplicate: .*"attack"/] },
  "endless-cursors": {
    result: echoed,
    tools: 101,
    notices: [/^mcp-too-many-pages: MCP server "hostile": .*limits\.maxPages \(100\)/],
  },
  "repeated-cursor": {
    openError: /^mcp-protocol: .*"hostile".*in a circle/,
    notices: Array.from({ length: 4 }, () => /^mcp-tool-duplicate: /),
  },
  "ten-thousand-tools": {
    result: echoed,
    tools: 1_000,
    notices: [/^mcp-too-many-tools: MCP server "hostile": .*limits\.maxTools \(1000\)/],
  },
  "external-reference": {
    result: done,
    notices: [
      /^mcp-schema-unusable: .*inputSchema refers to .*nothing is fetched/,
      /^mcp-schema-unusable: .*outputSchema refers to .*nothing is fetched/,
    ],
  },
  "reference-loop": {
    result: done,
    notices: [
      /^mcp-schema-unusable: .*inputSchema refers to itself without end/,
      /^mcp-schema-unusable: .*outputSchema refers to itself without end/,
    ],
  },
  "deep-schema": {
    result: echoed,
    notices: [/^mcp-tool-too-large: MCP server "hostile": .*limits\.maxDefinitionDepth \(64\)/],
  },
  "costly-schema": {
    result: done,
    notices: [/^mcp-output-unchecked: .*takes more than 1000000 steps/],
  },
  "slow-pattern": { result: /"error".*text: does not match the pattern/ },
  "output-mismatch": { result: /"error".*days: must be .*integer.*"Done\."/ },
  "notification-flood": { result: done, timeoutMs: 20_000, withinMs: 40_000 },
  "list-changed-flood": { result: done },
  "sampling-request": { result: /"success".*-32601/ },
  // What is thrown away is memory all the same until it is collected.
  "stderr-flood": { result: done, growthMiB: 100 },
};

/** Checks what came of opening and of the call. */
export function expectOutcome(
  outcome: HostileFacts,
  kind: HostileCase,
  over: HostileTransport,
): void {
  const { callError, openError, result, tools = 2, notices = [] } = hostileTable[kind];
  const failure = callError instanceof RegExp ? callError : callError?.[over];
  expect(outcome.openError).toEqual(openError && expect.stringMatching(openError));
  expect(outcome.callError).toEqual(failure && expect.stringMatching(failure));
  expect(outcome.result).toEqual(result && expect.stringMatching(result));
  expect(outcome.tools).toBe(openError ? undefined : tools);
  expect(outcome.notices).toEqual(notices.map((notice) => expect.stringMatching(notice)));
}

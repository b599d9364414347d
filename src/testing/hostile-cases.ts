/** How a hostile server is reached. */
export type HostileTransport = "stdio" | "http";

/** What one kind of hostile server does. */
export interface HostileCaseInfo {
  /** In words; goes on "The server …". */
  readonly does: string;
  /** Over which transports there is such a server. */
  readonly over: readonly HostileTransport[];
}

/** The name of a kind of hostile server. */
export type HostileCase =
  | "huge-message"
  | "huge-event"
  | "huge-error-body"
  | "endless-message"
  | "never-answers"
  | "never-initializes"
  | "endless-progress"
  | "dies-mid-call"
  | "half-message"
  | "grandchild-holds-pipe"
  | "ignores-end"
  | "garbage-before-handshake"
  | "invalid-json"
  | "invalid-number"
  | "html-answer"
  | "accepted-without-answer"
  | "ends-without-answer"
  | "socket-destroyed"
  | "session-lost"
  | "too-many-requests"
  | "unavailable"
  | "wrong-id"
  | "duplicate-answer"
  | "unknown-content"
  | "malformed-content"
  | "malformed-tool"
  | "duplicate-tools"
  | "endless-cursors"
  | "repeated-cursor"
  | "ten-thousand-tools"
  | "external-reference"
  | "reference-loop"
  | "deep-schema"
  | "costly-schema"
  | "slow-pattern"
  | "output-mismatch"
  | "notification-flood"
  | "list-changed-flood"
  | "sampling-request"
  | "stderr-flood";

const both = ["stdio", "http"] as const;
const stdio = ["stdio"] as const;
const http = ["http"] as const;

/**
 * Every kind of hostile server, by name. Where nothing else is said it shakes hands like any other,
 * publishes the tools `attack` and `echo`, and strikes when `attack` is called.
 */
export const hostileCases: Readonly<Record<HostileCase, HostileCaseInfo>> = {
  "huge-message": { over: both, does: "answers a call with one message of 200 MiB" },
  "huge-event": { over: http, does: "answers a call with one event of 200 MiB" },
  "huge-error-body": { over: http, does: "answers a call with status 500 and a body of 200 MiB" },
  "endless-message": { over: both, does: "answers a call with a line, or an event, without end" },
  "never-answers": { over: both, does: "does not answer a call" },
  "never-initializes": { over: both, does: "does not answer the handshake" },
  "endless-progress": { over: both, does: "reports progress of a call for ever" },
  "dies-mid-call": { over: stdio, does: "ends with exit code 7 when it is called" },
  "half-message": { over: both, does: "is gone in the middle of an answer" },
  "grandchild-holds-pipe": {
    over: stdio,
    does: "ends when it is called, while a process that it started holds its pipes",
  },
  "ignores-end": { over: stdio, does: "goes on when its input ends, and on SIGTERM" },
  "garbage-before-handshake": {
    over: stdio,
    does: "writes log lines to its standard output first",
  },
  "invalid-json": { over: both, does: "answers a call with what is not JSON" },
  "invalid-number": { over: both, does: "answers a call with NaN, which JSON does not have" },
  "html-answer": { over: http, does: "answers a call with a web page" },
  "accepted-without-answer": { over: http, does: "accepts a call (202) and says no more" },
  "ends-without-answer": { over: http, does: "ends its stream of events without an answer" },
  "socket-destroyed": { over: http, does: "cuts the connection when it is called" },
  "session-lost": { over: http, does: "knows its session no longer (404) when it is called" },
  "too-many-requests": { over: http, does: "answers a call with status 429, Retry-After: 7" },
  unavailable: { over: http, does: "answers a call with status 503" },
  "wrong-id": { over: both, does: "answers a call under the id of another" },
  "duplicate-answer": { over: both, does: "answers a call twice" },
  "unknown-content": { over: both, does: "returns a content block of a type that does not exist" },
  "malformed-content": { over: both, does: "returns content that is no list of blocks" },
  "malformed-tool": { over: both, does: "publishes malformed tools among good ones" },
  "duplicate-tools": { over: both, does: "publishes two tools of one name" },
  "endless-cursors": { over: both, does: "has one more page of tools, always" },
  "repeated-cursor": { over: both, does: "sends its pages of tools in a circle" },
  "ten-thousand-tools": { over: both, does: "publishes 10 000 tools, 100 a page" },
  "external-reference": { over: both, does: "has schemas that refer to another host" },
  "reference-loop": { over: both, does: "has schemas that refer to themselves" },
  "deep-schema": { over: both, does: "publishes a tool with a schema of 500 levels" },
  "costly-schema": { over: both, does: "has schemas that take 2^60 steps to check" },
  "slow-pattern": {
    over: both,
    does: "has schemas whose pattern makes a back-tracking engine hang",
  },
  "output-mismatch": { over: both, does: "returns what does not fit its outputSchema" },
  "notification-flood": { over: both, does: "sends 200 000 notifications before the answer" },
  "list-changed-flood": { over: both, does: "says 5 000 times that its tools have changed" },
  "sampling-request": { over: both, does: "asks for sampling, and answers with what it was told" },
  "stderr-flood": { over: stdio, does: "writes 100 MiB to its standard error before the answer" },
};

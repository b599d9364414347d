import type { RunRecord } from "../agent/run-store.ts";
import type { Waiting } from "../agent/waiting.ts";
import { type JsonObject, toJson } from "../base/json.ts";
import { jsonText, terminalLine } from "./terminal-text.ts";

/** A run as it stands in a document. */
export const runDocument = (run: RunRecord): JsonObject => toJson(run) as JsonObject; // a record is an object

/** A run on one line. */
export function runLine(run: RunRecord): string {
  const { id, status, agent, actor, updatedAt, input } = run;
  const asked = typeof input === "string" ? input : jsonText(toJson(input));
  const who = actor === undefined ? agent : `${agent} for ${actor}`;
  const when = new Date(updatedAt).toISOString();
  return `${id}  ${status.padEnd(9)}  ${when}  ${terminalLine(who, 40)}  ${terminalLine(asked, 60)}`;
}

/** What a run waits for and is not decided, on one line. */
export function waitingLine(waiting: Waiting): string {
  const { id, expiresAt } = waiting;
  const until = expiresAt === undefined ? "" : `  (until ${new Date(expiresAt).toISOString()})`;
  return `${terminalLine(id, 200)}  ${terminalLine(questionOf(waiting), 300)}${until}`;
}

function questionOf(waiting: Waiting): string {
  switch (waiting.kind) {
    case "approval":
      return `may it call ${callOf(waiting.call)}?${waiting.reason === undefined ? "" : ` ${waiting.reason}`}`;
    case "confirm-retry":
      return `${callOf(waiting.call)} was interrupted and may have taken effect: call it again?`;
    case "client-tool":
      return `the client is to execute ${callOf(waiting.call)}`;
    case "elicitation":
      return `${waiting.server} asks: ${waiting.message}${waiting.url === undefined ? "" : ` (${waiting.url})`}`;
  }
}

const callOf = ({
  name,
  server,
  arguments: input,
}: (Waiting & { kind: "approval" })["call"]): string =>
  `${server === undefined ? "" : `${server}/`}${name} ${jsonText(input)}`;

/** What it waits for that nobody has decided. */
export const openQuestions = ({ waitingFor, decisions }: RunRecord): readonly Waiting[] =>
  waitingFor.filter(({ id }) => !Object.hasOwn(decisions, id));

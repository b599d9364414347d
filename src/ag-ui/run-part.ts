import type { RunEventPlace } from "../agent/run-event.ts";
import type { Waiting } from "../agent/waiting.ts";

/**
 * Which participant of a run something is of: empty for the one that was asked, else names that each end
 * with a slash, the outermost first.
 */
export type RunPart = string;

/** Where an event happened. */
export const partOf = ({ part, agentPath }: Pick<RunEventPlace, "part" | "agentPath">): RunPart =>
  part ??
  agentPath
    .slice(1)
    .map((name) => `${name}/`)
    .join("");

/** Who waits: ids of what is waited for begin with the participant. */
export function partOfWaiting({ id, kind, agentPath }: Waiting): RunPart {
  const end = id.indexOf(`${kind}:`);
  return end < 0 ? partOf({ agentPath }) : id.slice(0, end);
}

/** Who asked a participant. */
export const parentOf = (part: RunPart): RunPart => part.replace(/[^/]*\/$/, "");

/** The name of a participant, without what tells it from others of that name. */
export const nameOf = (part: RunPart): string =>
  part.slice(parentOf(part).length, -1).replace(/#[^#]*$/, "");

/** The id of a call on the wire: a model's ids are unique within its own work only. */
export const callIdOnWire = (part: RunPart, callId: string): string => `${part}${callId}`;

import type { WaitingCall } from "../agent/waiting.ts";

/**
 * The id of a call on the wire, where ids are unique within a run. A model's ids are unique within its
 * agent only, so that a subagent's names its path, and a second one of the same name its number.
 *
 * @param below the names between the run's own agent and the one that calls, itself included.
 */
export function callIdOnWire(
  below: readonly string[],
  callId: string,
  taken: ReadonlySet<string>,
): string {
  const wanted = [...below, callId].join("/");
  let id = wanted;
  for (let count = 2; taken.has(id); count += 1) {
    id = `${wanted}~${count}`;
  }
  return id;
}

/** Whether the id on the wire is the one of that call, of an agent with that path. */
export function isCallOnWire(
  wireId: string,
  { id }: WaitingCall,
  agentPath: readonly string[],
): boolean {
  const wanted = [...agentPath.slice(1), id].join("/");
  return wireId === wanted || wireId.replace(/~\d+$/, "") === wanted;
}

import type { RunEvent } from "../agent/run-event.ts";
import type { Waiting } from "../agent/waiting.ts";
import type { AgUiInterrupt } from "./ag-ui-event.ts";
import { mostCharacters } from "./in-pieces.ts";
import { Lane, type Outgoing } from "./lane.ts";
import { callIdOnWire, nameOf, parentOf, partOf, partOfWaiting, type RunPart } from "./run-part.ts";

/** What a tree is made with. */
export interface LaneTreeOptions {
  /** Our run's id. */
  readonly runId: string;
  /** Ids on the wire of calls that the client knows from an earlier run. */
  readonly shownCallIds: readonly string[];
}

/** How the run, or a subagent, came to its end. */
type Ending = "completed" | "failed" | "cancelled" | "suspended";

/** A subagent that is at work. */
interface Subagent {
  readonly part: RunPart;
  readonly id: string;
  readonly lane: Lane;
}

/** The agents of a run: its own, and the subagents that are at work. */
export class LaneTree {
  readonly root: Lane;
  readonly #options: LaneTreeOptions;
  /** Parents before their children. */
  readonly #subagents: Subagent[] = [];
  readonly #subagentIds = new Set<string>();

  constructor(options: LaneTreeOptions) {
    this.#options = options;
    this.root = this.#newLane(`${options.runId}.`, "");
  }

  /** The lane of a participant, and the events that open it where its start was not told. */
  at(part: RunPart): { readonly opened: readonly Outgoing[]; readonly lane: Lane } {
    const opened = this.open(part);
    return { opened, lane: this.#find(part)?.lane ?? this.root };
  }

  /** Opens a subagent, and those above it, where it is not open. */
  open(part: RunPart): readonly Outgoing[] {
    if (part === "" || this.#find(part) !== undefined) {
      return [];
    }
    const above = parentOf(part);
    const opened = this.open(above);
    const parent = this.#find(above);
    const name = nameOf(part);
    const id = this.#freshSubagentId(part);
    this.#subagents.push({ part, id, lane: this.#newLane(`${id}.`, part, id) });
    const parentToolCallId = (parent?.lane ?? this.root).openCallOf(`delegate_to_${name}`);
    return [
      ...opened,
      {
        type: "SUBAGENT_STARTED",
        subagentRunId: id,
        name,
        ...(parent === undefined ? {} : { parentSubagentRunId: parent.id }),
        ...(parentToolCallId === undefined ? {} : { parentToolCallId }),
      },
    ];
  }

  /** Ends a subagent; one that is suspended stays until the run says what it waits for. */
  end(event: Extract<RunEvent, { readonly kind: "agent-end" }>): readonly Outgoing[] {
    const subagent = this.#find(partOf(event));
    if (subagent === undefined) {
      return [];
    }
    return event.status === "suspended"
      ? subagent.lane.close()
      : this.#endFrom(subagent, event.status, event);
  }

  /** Closes all that is open, the innermost first. */
  closeAll(ending: Ending, interrupts: readonly AgUiInterrupt[] = []): readonly Outgoing[] {
    const outermost = this.#subagents.filter(({ part }) => parentOf(part) === "");
    const closed = outermost.flatMap((subagent) =>
      this.#endFrom(subagent, ending, { text: "" }, interrupts),
    );
    return [...closed, ...this.root.close(), ...answerRest(this.root, ending)];
  }

  /** What the client calls the subagent and the call that are waited for. */
  namesOf(waiting: Waiting): { readonly subagentRunId?: string; readonly toolCallId?: string } {
    const part = partOfWaiting(waiting);
    const subagent = this.#find(part);
    const toolCallId = "call" in waiting ? callIdOnWire(part, waiting.call.id) : undefined;
    return {
      ...(subagent === undefined ? {} : { subagentRunId: subagent.id }),
      ...(toolCallId === undefined ? {} : { toolCallId }),
    };
  }

  /** Ends a subagent and those beneath it. */
  #endFrom(
    subagent: Subagent,
    ending: Ending,
    { text, error }: { readonly text: string; readonly error?: { code: string; message: string } },
    interrupts: readonly AgUiInterrupt[] = [],
  ): readonly Outgoing[] {
    const { id: subagentRunId, part, lane } = subagent;
    const children = this.#subagents.filter((one) => parentOf(one.part) === part);
    const ended = children.flatMap((child) =>
      this.#endFrom(child, ending, { text: "" }, interrupts),
    );
    this.#subagents.splice(this.#subagents.indexOf(subagent), 1);
    const closed = [...ended, ...lane.close(), ...answerRest(lane, ending)];
    switch (ending) {
      case "completed": {
        const isSent = text !== "" && text.length <= mostCharacters;
        const result = isSent ? { result: { text } } : {};
        return [...closed, { type: "SUBAGENT_FINISHED", subagentRunId, ...result }];
      }
      case "suspended": {
        const interruptIds = interrupts
          .filter((interrupt) => interrupt.subagentRunId === subagentRunId)
          .map(({ id }) => id);
        const which = interruptIds.length === 0 ? {} : { interruptIds };
        const outcome = { type: "suspended", ...which } as const;
        return [...closed, { type: "SUBAGENT_FINISHED", subagentRunId, outcome }];
      }
      default: {
        const code = error?.code ?? (ending === "cancelled" ? "cancelled" : "failed");
        const message = code === "internal-error" ? undefined : error?.message;
        const said = message ?? `The subagent "${nameOf(part)}" did not come to its end.`;
        return [...closed, { type: "SUBAGENT_ERROR", subagentRunId, message: said, code }];
      }
    }
  }

  #find(part: RunPart): Subagent | undefined {
    return this.#subagents.find((one) => one.part === part);
  }

  #freshSubagentId(part: RunPart): string {
    const wanted = `${this.#options.runId}/${part.slice(0, -1)}`;
    let id = wanted;
    for (let count = 2; this.#subagentIds.has(id); count += 1) {
      id = `${wanted}~${count}`;
    }
    this.#subagentIds.add(id);
    return id;
  }

  #newLane(prefix: string, part: RunPart, subagentRunId?: string): Lane {
    const { shownCallIds } = this.#options;
    return new Lane({
      prefix,
      ...(subagentRunId === undefined ? {} : { subagentRunId }),
      wireIdOf: (callId) => callIdOnWire(part, callId),
      wasShown: (callId) => shownCallIds.includes(callIdOnWire(part, callId)),
    });
  }
}

/** A call that somebody decides on gets its result when the run goes on. */
const answerRest = (lane: Lane, ending: Ending): readonly Outgoing[] =>
  ending === "suspended" ? [] : lane.answerRest("Not called: the run came to its end before.");

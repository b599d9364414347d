import type { RunEvent } from "../agent/run-event.ts";
import type { Waiting } from "../agent/waiting.ts";
import type { AgUiInterrupt } from "./ag-ui-event.ts";
import { callIdOnWire } from "./call-id-on-wire.ts";
import { mostCharacters } from "./in-pieces.ts";
import { Lane, type Outgoing } from "./lane.ts";

/** What a tree is made with. */
export interface LaneTreeOptions {
  /** Our run's id. */
  readonly runId: string;
  /** The path of the run's own agent. */
  readonly rootPath: readonly string[];
  /** Ids on the wire of calls that the client knows from an earlier run. */
  readonly shownCallIds: readonly string[];
}

/** How the run, or a subagent, came to its end. */
type Ending = "completed" | "failed" | "cancelled" | "suspended";

/** A subagent that is at work. */
interface Subagent {
  readonly path: readonly string[];
  readonly id: string;
  readonly lane: Lane;
}

/**
 * The agents of a run: its own, and the subagents that are at work. A subagent is found by its path, so
 * that two of the same name that work side by side under one parent are shown as one.
 */
export class LaneTree {
  readonly root: Lane;
  readonly #options: LaneTreeOptions;
  /** Parents before their children. */
  readonly #subagents: Subagent[] = [];
  readonly #subagentIds = new Set<string>();
  readonly #callIds = new Set<string>();

  constructor(options: LaneTreeOptions) {
    this.#options = options;
    this.root = this.#newLane(`${options.runId}.`, []);
  }

  /** The lane of a path, and the events that open it where its start was not told. */
  at(path: readonly string[]): { readonly opened: readonly Outgoing[]; readonly lane: Lane } {
    const opened = this.open(path);
    return { opened, lane: this.#find(path)?.lane ?? this.root };
  }

  /** Opens a subagent, and those above it, where it is not open. */
  open(path: readonly string[]): readonly Outgoing[] {
    const depth = this.#options.rootPath.length;
    if (path.length <= depth || this.#find(path) !== undefined) {
      return [];
    }
    const parentPath = path.slice(0, -1);
    const opened = this.open(parentPath);
    const parent = this.#find(parentPath);
    const name = path.at(-1) ?? "";
    const id = this.#freshSubagentId(path);
    const lane = this.#newLane(`${id}.`, path.slice(depth), id);
    this.#subagents.push({ path, id, lane });
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
    const subagent = this.#find(event.agentPath);
    if (subagent === undefined) {
      return [];
    }
    return event.status === "suspended"
      ? subagent.lane.close()
      : this.#endFrom(subagent, event.status, event);
  }

  /** Closes all that is open, the innermost first. */
  closeAll(ending: Ending, interrupts: readonly AgUiInterrupt[] = []): readonly Outgoing[] {
    const outermost = this.#subagents.filter(({ path }) => this.#parentOf(path) === undefined);
    const closed = outermost.flatMap((subagent) =>
      this.#endFrom(subagent, ending, { text: "" }, interrupts),
    );
    return [...closed, ...this.root.close(), ...answerRest(this.root, ending)];
  }

  /** What the client calls the subagent and the call that are waited for. */
  namesOf(waiting: Waiting): { readonly subagentRunId?: string; readonly toolCallId?: string } {
    const { agentPath } = waiting;
    const depth = this.#options.rootPath.length;
    const subagent = this.#find(agentPath);
    const lane = agentPath.length <= depth ? this.root : subagent?.lane;
    const toolCallId =
      "call" in waiting
        ? (lane?.wireIdOf(waiting.call.id) ??
          [...agentPath.slice(depth), waiting.call.id].join("/"))
        : undefined;
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
    const { id: subagentRunId, path, lane } = subagent;
    const children = this.#subagents.filter((one) => this.#parentOf(one.path) === subagent);
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
        const said = message ?? `The subagent "${path.at(-1)}" did not come to its end.`;
        return [...closed, { type: "SUBAGENT_ERROR", subagentRunId, message: said, code }];
      }
    }
  }

  #find(path: readonly string[]): Subagent | undefined {
    return this.#subagents.find((one) => isSamePath(one.path, path));
  }

  #parentOf(path: readonly string[]): Subagent | undefined {
    return this.#find(path.slice(0, -1));
  }

  #freshSubagentId(path: readonly string[]): string {
    const { runId, rootPath } = this.#options;
    const wanted = [runId, ...path.slice(rootPath.length)].join("/");
    let id = wanted;
    for (let count = 2; this.#subagentIds.has(id); count += 1) {
      id = `${wanted}~${count}`;
    }
    this.#subagentIds.add(id);
    return id;
  }

  #newLane(prefix: string, below: readonly string[], subagentRunId?: string): Lane {
    const { shownCallIds } = this.#options;
    return new Lane({
      prefix,
      ...(subagentRunId === undefined ? {} : { subagentRunId }),
      freshWireId: (callId) => {
        const wireId = callIdOnWire(below, callId, this.#callIds);
        this.#callIds.add(wireId);
        return wireId;
      },
      wasShown: (callId) => shownCallIds.includes([...below, callId].join("/")),
    });
  }
}

/** A call that somebody decides on gets its result when the run goes on. */
const answerRest = (lane: Lane, ending: Ending): readonly Outgoing[] =>
  ending === "suspended" ? [] : lane.answerRest("Not called: the run came to its end before.");

const isSamePath = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((name, index) => name === right[index]);

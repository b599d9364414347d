import type { ActiveSpan } from "../base/tracing.ts";
import type { Message } from "../message/message.ts";
import type { BoundSession } from "../tool/binding.ts";
import type { Tool } from "../tool/tool.ts";
import type { AgentRuntime } from "./agent-runtime.ts";
import type { Delegations } from "./delegations.ts";
import type { KeptToolsets } from "./kept-toolsets.ts";
import type { LoopEnd } from "./loop-guard.ts";
import type { RunBudget } from "./run-budget.ts";
import type { RunDraft } from "./run-draft.ts";
import type { RunInput } from "./run-input.ts";
import type { RunMemory } from "./run-memory.ts";
import type { RunOptions } from "./run-options.ts";
import type { Steps } from "./steps.ts";
import type { ToolLevel } from "./tool-level.ts";

/** What takes part in a run: the agent or assembly that was asked, and those that it asks in turn. */
export interface Participant {
  readonly name: string;
  readonly description: string | undefined;
  /** How its members work together: `sequence`, `graph`, …; absent for a single agent. */
  readonly pattern?: string | undefined;
  /**
   * Works until there is an answer. What it has done is in the scope's draft, also when it throws.
   *
   * @throws Suspension where it waits for somebody; the signal's reason; whatever went wrong.
   */
  perform(scope: ParticipantScope): Promise<Answer>;
}

/** What a participant gives, besides the text in its draft. */
export interface Answer {
  readonly end: LoopEnd;
  /** The typed answer, where one was asked for. */
  readonly output: unknown;
}

/** What a level above an agent says. */
export interface OuterLevel extends ToolLevel {
  /** Whether it is a network, whose tools and servers are inherited on request only. */
  readonly isNetwork?: boolean;
}

/** What a participant works with. */
export interface ParticipantScope {
  readonly input: RunInput;
  readonly options: RunOptions;
  readonly runtime: AgentRuntime;
  readonly runId: string;
  /** Names from the outermost assembly to this participant. */
  readonly agentPath: readonly string[];
  readonly steps: Steps;
  readonly signal: AbortSignal;
  /** Its operation, where somebody traces. */
  readonly span: ActiveSpan | undefined;
  /** When it must have ended, in milliseconds since the Unix epoch. */
  readonly deadline: number | undefined;
  /** What the assemblies around it say of tools and servers, the outermost first. */
  readonly outerLevels: readonly OuterLevel[];
  /** What is left of all that; see {@link ToolLevels}. */
  readonly narrowing: readonly ToolLevel[];
  /** Tools that it has besides what the levels say. */
  readonly extraTools: readonly Tool[];
  /** The conversation before, for a participant that has no session of its own. */
  readonly history: readonly Message[];
  /** What participants before it gave, by the keys that instructions may name. */
  readonly values: ReadonlyMap<string, string>;
  /** What all participants of the run share. */
  readonly memory: RunMemory;
  readonly draft: RunDraft;
  /** Connections that outlive the run. */
  readonly kept: KeptToolsets | undefined;
  /** Whether what it is asked may come from something that a server said. */
  readonly tainted: boolean;
  /** The conversation that the run belongs to, as tools see it. */
  readonly session: BoundSession | undefined;
  /** What is left of what it may use up, with all whom it asks; that of whoever asked it is the outer one. */
  readonly budget: RunBudget | undefined;
  /** What is left to the one that asked it, and so to its other participants. */
  readonly outerBudget: RunBudget | undefined;
  /** How often participants have asked others by tools, and what is allowed. */
  readonly delegations: Delegations;
}

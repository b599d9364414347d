import type { Assembly } from "../agent/assembly.ts";
import type { AssemblyHead } from "./define-assembly.ts";
import { createGraph, type GraphDefinition } from "./graph.ts";
import { createLoop, type LoopDefinition } from "./loop.ts";
import type { AnswerOf, LastAnswerOf, MemberEntry, RuntimeNow } from "./member.ts";
import { createNetwork, type NetworkDefinition } from "./network.ts";
import { createParallel, type ParallelDefinition, type ParallelOutput } from "./parallel.ts";
import { createSequence, type SequenceDefinition } from "./sequence.ts";
import { createSwarm, type SwarmDefinition } from "./swarm.ts";
import { createWorkflow, type WorkflowFunction } from "./workflow.ts";

/**
 * The ways in which agents work together, by who decides what comes next. Whatever they make is asked
 * like an agent, may be a member of another, and may be a tool of an agent.
 */
export interface AssemblyFunctions {
  /** Agents with tasks, which share servers and tools; a fixed order, a function or a model decides. */
  defineNetwork<const Members extends readonly MemberEntry[]>(
    definition: NetworkDefinition<Members>,
  ): Assembly<AnswerOf<Members[number]>>;
  /** One after the other. */
  defineSequence<const Members extends readonly MemberEntry[]>(
    definition: SequenceDefinition<Members>,
  ): Assembly<LastAnswerOf<Members>>;
  /** Side by side. */
  defineParallel(definition: ParallelDefinition): Assembly<ParallelOutput>;
  /** Again and again, until it is enough. */
  defineLoop<const Members extends readonly MemberEntry[]>(
    definition: LoopDefinition<Members>,
  ): Assembly<AnswerOf<Members[number]>>;
  /** Along edges with conditions. */
  defineGraph<Output = unknown>(definition: GraphDefinition): Assembly<Output>;
  /** The agents themselves decide to whom they hand over. */
  defineSwarm<const Members extends readonly MemberEntry[]>(
    definition: SwarmDefinition<Members>,
  ): Assembly<AnswerOf<Members[number]>>;
  /** Plain code decides. */
  defineWorkflow<Output, Context = unknown>(
    run: WorkflowFunction<Output, Context>,
    head?: Partial<AssemblyHead>,
  ): Assembly<Output>;
}

/** All of them, for one configuration. Each throws ConfigurationError `invalid-definition`. */
export const assemblyFunctions = (runtimeNow: RuntimeNow): AssemblyFunctions => ({
  defineNetwork: (definition) => createNetwork(definition, runtimeNow),
  defineSequence: (definition) => createSequence(definition, runtimeNow),
  defineParallel: (definition) => createParallel(definition, runtimeNow),
  defineLoop: (definition) => createLoop(definition, runtimeNow),
  defineGraph: (definition) => createGraph(definition, runtimeNow),
  defineSwarm: (definition) => createSwarm(definition, runtimeNow),
  defineWorkflow: (run, head = {}) => createWorkflow(run, head, runtimeNow),
});

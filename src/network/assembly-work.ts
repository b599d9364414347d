import { askWithin, type InnerQuestion } from "../agent/ask-within.ts";
import type { ParticipantScope } from "../agent/participant.ts";
import { fillKeys } from "../agent/prompts.ts";
import { RunError } from "../agent/run-error.ts";
import type { RunInput } from "../agent/run-options.ts";
import type { CompletedRun, RunResult } from "../agent/run-result.ts";
import { Suspension } from "../agent/suspension.ts";
import type { Json } from "../base/json.ts";
import { type Message, textOf } from "../message/message.ts";
import type { Tool } from "../tool/tool.ts";
import type { AssemblyState } from "./assembly-state.ts";
import type { Member } from "./member.ts";

/** How one member is asked, beside what its entry says. */
export interface Turn extends Pick<InnerQuestion, "level" | "narrowing" | "signal"> {
  /** What it is asked where its entry does not say. */
  readonly input: RunInput;
  /** Tools that it has besides its own. */
  readonly extraTools?: readonly Tool[];
  /** The conversation before. Default: that of the assembly. */
  readonly history?: readonly Message[];
  /** Whether what the assembly's run says of tools and servers is only a limit to what the entry says. */
  readonly isTask?: boolean;
}

/** The work of an assembly in one run: asks its members and keeps what they gave. */
export class AssemblyWork {
  readonly #name: string;
  readonly #scope: ParticipantScope;
  readonly #results = new Map<string, CompletedRun>();
  readonly #values: Map<string, string>;
  #last: AssemblyState["last"];
  #turns = 0;

  /** @param name of the assembly, for errors. */
  constructor(name: string, scope: ParticipantScope) {
    this.#name = name;
    this.#scope = scope;
    this.#values = new Map([...scope.values, ["input", inputText(scope.input)]]);
  }

  get scope(): ParticipantScope {
    return this.#scope;
  }

  /** What has happened so far. */
  get state(): AssemblyState {
    const { input } = this.#scope;
    return { input, results: this.#results, last: this.#last, turns: this.#turns };
  }

  /**
   * Asks a member and keeps its answer for the others.
   *
   * @throws Suspension where it waits; the signal's reason; RunError `participant-failed`.
   */
  async ask(member: Member, turn: Turn): Promise<CompletedRun> {
    return this.#answerOf(member, await this.tryToAsk(member, turn));
  }

  #answerOf(member: Member, result: RunResult): CompletedRun {
    switch (result.status) {
      case "completed":
        return result;
      case "suspended":
        throw new Suspension(result.waitingFor);
      case "cancelled":
        this.#scope.signal.throwIfAborted();
        throw this.#failed(member.name, "was stopped", result.reason);
      case "failed":
        // The deadline of the run is the run's failure, not the member's.
        this.#scope.signal.throwIfAborted();
        throw this.#failed(member.name, `failed: ${result.error.message}`, result.cause);
    }
  }

  /** Asks one who is no member: its answer is not among the others'. @throws as {@link ask}. */
  async aside(member: Member, turn: Turn): Promise<CompletedRun> {
    return this.#answerOf(
      member,
      await this.#askInner(member, { ...turn, isTask: true, history: [] }),
    );
  }

  /** The same as {@link ask}, with whatever comes of it; an answer is kept. */
  async tryToAsk(member: Member, turn: Turn): Promise<RunResult> {
    const result = await this.#askInner(member, turn);
    if (result.status === "completed") {
      this.#keep(member, result);
    }
    return result;
  }

  async #askInner(member: Member, turn: Turn): Promise<RunResult> {
    const { options, history } = this.#scope;
    const { model, limits } = member;
    const tools = member.tools ?? (turn.isTask ? undefined : options.tools);
    const mcp = member.mcp ?? (turn.isTask ? undefined : options.mcp);
    return askWithin(this.#scope, {
      participant: member.participant,
      name: member.name,
      input: await this.#inputFor(member, turn),
      options: {
        ...(tools === undefined ? {} : { tools }),
        ...(mcp === undefined ? {} : { mcp }),
        ...(model === undefined ? {} : { model }),
        ...(limits === undefined ? {} : { limits }),
      },
      history: turn.history ?? history,
      ...(turn.extraTools === undefined ? {} : { extraTools: turn.extraTools }),
      values: new Map(this.#values),
      ...(turn.level === undefined ? {} : { level: turn.level }),
      ...(turn.narrowing === undefined ? {} : { narrowing: turn.narrowing }),
      ...(turn.signal === undefined ? {} : { signal: turn.signal }),
    });
  }

  /** Asks a function of the application, once for the run however often it is resumed. */
  decide<Value extends Json>(what: string, decision: () => Value | Promise<Value>): Promise<Value> {
    return this.#scope.steps.run(what, async () => {
      try {
        return await decision();
      } catch (cause) {
        const why = cause instanceof Error ? cause.message : String(cause);
        throw new RunError(`The ${what} of "${this.#name}" failed: ${why}`, {
          code: "hook-failed",
          cause,
        });
      }
    });
  }

  #keep({ name, outputKey }: Member, result: CompletedRun): void {
    this.#results.set(name, result);
    this.#values.set(outputKey, answerText(result));
    this.#last = { name, result };
    this.#turns += 1;
  }

  async #inputFor({ name, input }: Member, turn: Turn): Promise<RunInput> {
    if (input === undefined) {
      return turn.input;
    }
    if (typeof input === "string") {
      return fillKeys(input, this.#values);
    }
    const given = await this.decide(`input of ${name}`, async () => {
      const asked = await input(this.state);
      return { asked: asked as Json }; // parts of content are plain JSON
    });
    return given.asked as RunInput;
  }

  #failed(member: string, what: string, cause: unknown): RunError {
    return new RunError(`"${member}" of "${this.#name}" ${what}`, {
      code: "participant-failed",
      cause,
    });
  }
}

/** The text of what was asked. */
export const inputText = (input: RunInput): string =>
  typeof input === "string" ? input : textOf(input);

/** An answer as a text: data as JSON. */
export const answerText = ({ text, output }: CompletedRun): string =>
  output === undefined || output === null ? text : JSON.stringify(output);

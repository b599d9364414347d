import { askWithin, type InnerOptions, type InnerQuestion } from "../agent/ask-within.ts";
import type { ParticipantScope } from "../agent/participant.ts";
import { fillKeys } from "../agent/prompts.ts";
import { RunError } from "../agent/run-error.ts";
import type { RunInput } from "../agent/run-input.ts";
import type { CompletedRun, RunResult } from "../agent/run-result.ts";
import { Suspension } from "../agent/suspension.ts";
import { untilAborted } from "../base/abort.ts";
import { messageOf } from "../base/dragoman-error.ts";
import type { Json } from "../base/json.ts";
import type { Message } from "../message/message.ts";
import type { Tool } from "../tool/tool.ts";
import { answerText, inputText } from "./answer-text.ts";
import type { AssemblyState } from "./assembly-state.ts";
import type { Member } from "./member.ts";

/** How one member is asked, beside what its entry says. */
export interface Turn extends Pick<InnerQuestion, "id" | "level" | "narrowing" | "signal"> {
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
   * @throws Suspension where it waits; the signal's reason; RunError `participant-failed`, or
   *   `limit-reached` where the assembly may use up no more.
   */
  async ask(member: Member, turn: Turn): Promise<CompletedRun> {
    const answer = this.answerOf(member, await this.outcomeOf(member, turn));
    this.keep(member, answer);
    return answer;
  }

  /** Asks one who is no member: its answer is not among the others'. @throws as {@link ask}. */
  async aside(member: Member, turn: Turn): Promise<CompletedRun> {
    const alone = { ...turn, isTask: true, history: [] };
    return this.answerOf(member, await this.outcomeOf(member, alone));
  }

  /**
   * Asks a member, and keeps nothing.
   *
   * @returns whatever comes of it.
   * @throws RunError `limit-reached`, or `hook-failed` by its `input`.
   */
  async outcomeOf(member: Member, turn: Turn): Promise<RunResult> {
    await this.#refuseBeyondBudget(member);
    return askWithin(this.#scope, {
      participant: member.participant,
      name: member.name,
      ...(turn.id === undefined ? {} : { id: turn.id }),
      input: await this.#inputFor(member, turn),
      options: this.#optionsFor(member, turn),
      history: turn.history ?? this.#scope.history,
      ...(turn.extraTools === undefined ? {} : { extraTools: turn.extraTools }),
      values: new Map(this.#values),
      ...(turn.level === undefined ? {} : { level: turn.level }),
      ...(turn.narrowing === undefined ? {} : { narrowing: turn.narrowing }),
      ...(turn.signal === undefined ? {} : { signal: turn.signal }),
    });
  }

  /** The answer of a member. @throws as {@link ask} where there is none. */
  answerOf(member: Member, result: RunResult): CompletedRun {
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

  /** Keeps an answer for those who are asked from now on. */
  keep({ name, outputKey }: Member, result: CompletedRun): void {
    this.#results.set(name, result);
    this.#values.set(outputKey, answerText(result));
    this.#last = { name, result };
    this.#turns += 1;
  }

  /**
   * Asks a function of the application, once for the run however often it is resumed.
   *
   * @throws RunError `hook-failed`; the signal's reason.
   */
  decide<Value extends Json>(what: string, decision: () => Value | Promise<Value>): Promise<Value> {
    const { steps, signal } = this.#scope;
    return steps.run(what, async () => {
      try {
        return await untilAborted((async () => decision())(), signal);
      } catch (cause) {
        signal.throwIfAborted();
        const why = messageOf(cause);
        throw new RunError(`The ${what} of "${this.#name}" failed: ${why}`, {
          code: "hook-failed",
          cause,
        });
      }
    });
  }

  /** Recorded, since it depends on what others have used up meanwhile. */
  async #refuseBeyondBudget({ name }: Member): Promise<void> {
    const { budget, steps } = this.#scope;
    if (budget === undefined) {
      return;
    }
    const reached = await steps.run("budget", async () => budget.reached ?? null, { id: name });
    if (reached !== null) {
      throw new RunError(
        `"${name}" of "${this.#name}" was not asked: a limit of the run is reached (${reached}).`,
        { code: "limit-reached" },
      );
    }
  }

  #optionsFor({ tools, mcp, ...own }: Member, { isTask }: Turn): InnerOptions {
    const { options } = this.#scope;
    const discovery = own.discovery ?? options.discovery;
    const given = {
      tools: tools ?? (isTask ? undefined : options.tools),
      mcp: mcp ?? (isTask ? undefined : options.mcp),
    };
    return {
      ...(given.tools === undefined ? {} : { tools: given.tools }),
      ...(given.mcp === undefined ? {} : { mcp: given.mcp }),
      ...(discovery === undefined ? {} : { discovery }),
      ...(own.model === undefined ? {} : { model: own.model }),
      ...(own.limits === undefined ? {} : { limits: own.limits }),
      ...(own.timeoutMs === undefined ? {} : { timeoutMs: own.timeoutMs }),
    };
  }

  async #inputFor({ name, input }: Member, turn: Turn): Promise<RunInput> {
    if (input === undefined) {
      // Not every provider takes an empty question.
      return turn.input === "" && this.#last !== undefined ? "(no answer)" : turn.input;
    }
    if (typeof input === "string") {
      return fillKeys(input, this.#values);
    }
    const given = await this.decide(`input of ${name}`, async () => {
      const asked: unknown = await input(this.state);
      if (typeof asked !== "string" && !Array.isArray(asked)) {
        throw new TypeError("it gave neither a text nor a list of parts.");
      }
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

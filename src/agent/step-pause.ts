import type { Json } from "../base/json.ts";
import type { Binding } from "../tool/binding.ts";
import type { CallPause, UserAnswer, UserQuestion } from "../tool/call-pause.ts";
import type { Steps } from "./steps.ts";
import type { Waiting } from "./waiting.ts";

/** The name of the steps that keep what a call goes on from. */
const stepName = "input";

/** What a call waits with. */
interface PauseScope {
  readonly steps: Steps;
  readonly binding: Binding;
}

/** A call's pause by the steps of its run: what it keeps is a step, what it asks suspends the run. */
export class StepPause implements CallPause {
  readonly #callId: string;
  readonly #scope: PauseScope;
  /** How often something was kept. */
  #round = 0;

  constructor(callId: string, scope: PauseScope) {
    this.#callId = callId;
    this.#scope = scope;
  }

  async kept(): Promise<Json | undefined> {
    const { steps } = this.#scope;
    const id = this.#callId;
    let last: Json | undefined;
    while (steps.isRecorded(stepName, id)) {
      last = await steps.run<Json>(stepName, async () => null, { id });
      this.#round += 1;
    }
    return last;
  }

  async keep(value: Json): Promise<void> {
    this.#round += 1;
    await this.#scope.steps.run<Json>(stepName, async () => value, { id: this.#callId });
  }

  async ask(question: UserQuestion, index: number): Promise<UserAnswer> {
    const { steps, binding } = this.#scope;
    const id = `${steps.path}elicitation:${this.#callId}:${this.#round}.${index}`;
    const { agentPath } = binding.run;
    const waiting: Waiting = { kind: "elicitation", id, agentPath, ...question };
    steps.emit({ kind: "approval-request", waiting });
    const decision = await steps.waitFor(waiting);
    steps.emit({ kind: "approval-end", id, decision: decision ?? { kind: "expired" } });
    return decision === null || decision.kind === "approve" ? { kind: "deny" } : decision;
  }
}

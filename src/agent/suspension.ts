import type { Waiting } from "./waiting.ts";

/** Thrown through a run's loop where it cannot go on before somebody has decided. Not an error of the run. */
export class Suspension extends Error {
  override readonly name = "Suspension";
  /** At least one. */
  readonly waitingFor: readonly Waiting[];

  constructor(waitingFor: readonly Waiting[]) {
    super("The run waits for a decision.");
    this.waitingFor = waitingFor;
  }
}

/** The suspension that something thrown is, or that it was made of on its way through other layers. */
export function suspensionIn(thrown: unknown): Suspension | undefined {
  let current = thrown;
  for (let depth = 0; depth < 8 && current instanceof Error; depth += 1) {
    if (current instanceof Suspension) {
      return current;
    }
    current = current.cause;
  }
  return undefined;
}

/**
 * What several pieces of work that went on side by side leave behind when some of them broke off: the
 * first true failure, else one suspension for all.
 *
 * @returns `undefined` where none broke off.
 */
export function interruptionOf(
  settled: readonly PromiseSettledResult<unknown>[],
): { readonly reason: unknown } | undefined {
  const reasons = settled.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  if (reasons.length === 0) {
    return undefined;
  }
  const suspensions = reasons.filter((reason) => reason instanceof Suspension);
  const failed = reasons.findIndex((reason) => !(reason instanceof Suspension));
  return failed >= 0
    ? { reason: reasons[failed] }
    : { reason: new Suspension(suspensions.flatMap(({ waitingFor }) => waitingFor)) };
}

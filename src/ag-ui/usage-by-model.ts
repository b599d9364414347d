import { addUsage, noUsage, type Usage } from "../model/usage.ts";
import type { AgUiUsage } from "./ag-ui-event.ts";

/** Sums up what each model of a stream took, as the protocol reports it. */
export class UsageByModel {
  readonly #usage = new Map<string, Usage>();

  add(model: string, usage: Usage): void {
    this.#usage.set(model, addUsage(this.#usage.get(model) ?? noUsage, usage));
  }

  /** One entry for each model that took tokens. */
  entries(): readonly AgUiUsage[] {
    return [...this.#usage]
      .filter(([, { inputTokens, outputTokens }]) => inputTokens + outputTokens > 0)
      .map(([id, usage]) => toAgUiUsage(id, usage));
  }
}

function toAgUiUsage(id: string, usage: Usage): AgUiUsage {
  const colon = id.indexOf(":");
  const inputTokens = count(usage.inputTokens);
  const outputTokens = count(usage.outputTokens);
  const { cachedInputTokens: cached, reasoningTokens: reasoning } = usage;
  return {
    ...(colon > 0 ? { provider: id.slice(0, colon) } : {}),
    model: id.slice(colon + 1),
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    // A part is never more than the whole, whatever a provider says.
    ...(cached === undefined ? {} : { cachedInputTokens: Math.min(count(cached), inputTokens) }),
    ...(reasoning === undefined
      ? {}
      : { reasoningTokens: Math.min(count(reasoning), outputTokens) }),
  };
}

/** The protocol takes whole numbers from 0 up, and refuses the whole event otherwise. */
const count = (value: number): number =>
  Number.isSafeInteger(Math.trunc(value)) ? Math.max(0, Math.trunc(value)) : 0;

import type { ProviderData } from "../message/content.ts";
import type { Usage } from "./usage.ts";

/** Why a model stopped. */
export type FinishReason = "stop" | "tool-calls" | "length" | "content-filter" | "other";

/**
 * What a model streams. A part is opened, grows and is closed; parts of different ids may overlap.
 * `id` names the part within its request; a tool call's id is the provider's where it gave one.
 */
export type ModelEvent =
  | { readonly kind: "text-start"; readonly id: string }
  | { readonly kind: "text-delta"; readonly id: string; readonly text: string }
  | { readonly kind: "text-end"; readonly id: string; readonly providerData?: ProviderData }
  | { readonly kind: "reasoning-start"; readonly id: string }
  | { readonly kind: "reasoning-delta"; readonly id: string; readonly text: string }
  | { readonly kind: "reasoning-end"; readonly id: string; readonly providerData?: ProviderData }
  | { readonly kind: "tool-call-start"; readonly id: string; readonly name: string }
  | { readonly kind: "tool-call-delta"; readonly id: string; readonly text: string }
  /** The arguments are the joined deltas: JSON text, unparsed, possibly empty or broken. */
  | { readonly kind: "tool-call-end"; readonly id: string; readonly providerData?: ProviderData }
  | {
      readonly kind: "finish";
      readonly reason: FinishReason;
      readonly usage: Usage;
      /** The model as the provider names it in its answer, where it does. */
      readonly responseModel?: string;
      /** The provider's id of the answer, where it has one. */
      readonly responseId?: string;
    };

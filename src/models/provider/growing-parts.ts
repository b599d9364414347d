import type { JsonObject } from "../../base/json.ts";
import type { ProviderData } from "../../message/content.ts";
import type { ModelEvent } from "../../model/model-event.ts";

/** The text or reasoning that grows at present. */
export interface GrowingPart {
  readonly kind: "text" | "reasoning";
  readonly id: string;
  /** What the provider wants back with it. */
  opaque: JsonObject | undefined;
}

/** A call that has come whole. */
export interface WholeCall {
  readonly id: string;
  readonly name: string;
  /** JSON text of the arguments. */
  readonly text: string;
  readonly opaque?: JsonObject | undefined;
}

/** Collects the events of an answer whose texts come one after another. */
export class GrowingParts {
  readonly #provider: string;
  #open: GrowingPart | undefined;
  #count = 0;
  #events: ModelEvent[] = [];

  /** @param provider the key of the provider data that the parts get. */
  constructor(provider: string) {
    this.#provider = provider;
  }

  /** The events since the last {@link take}; more may be added. */
  get events(): ModelEvent[] {
    return this.#events;
  }

  /** Gives the events and begins anew. */
  take(): readonly ModelEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Adds text to the open part of this kind, or to a new one; nothing where it is empty. */
  text(kind: GrowingPart["kind"], text: string): void {
    if (text !== "") {
      const { id } = this.ensure(kind);
      this.#events.push({ kind: `${kind}-delta`, id, text });
    }
  }

  /** The open part, if it is of this kind; else a new one, and the other is closed. */
  ensure(kind: GrowingPart["kind"]): GrowingPart {
    if (this.#open?.kind === kind) {
      return this.#open;
    }
    this.close();
    const part: GrowingPart = { kind, id: `${kind}_${this.#count}`, opaque: undefined };
    this.#count += 1;
    this.#open = part;
    this.#events.push({ kind: `${kind}-start`, id: part.id });
    return part;
  }

  /** Closes the open part, if there is one. */
  close(): void {
    const part = this.#open;
    if (part !== undefined) {
      this.#open = undefined;
      this.#events.push({ kind: `${part.kind}-end`, id: part.id, ...this.#data(part.opaque) });
    }
  }

  /** Adds a call that has come whole, after the part that is open. */
  call({ id, name, text, opaque }: WholeCall): void {
    this.close();
    this.#events.push({ kind: "tool-call-start", id, name });
    this.#events.push({ kind: "tool-call-delta", id, text });
    this.#events.push({ kind: "tool-call-end", id, ...this.#data(opaque) });
  }

  #data(opaque: JsonObject | undefined): { readonly providerData?: ProviderData } {
    return opaque === undefined ? {} : { providerData: { [this.#provider]: opaque } };
  }
}

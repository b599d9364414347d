/**
 * A text that is not to be seen: printing it, writing it as JSON, putting it into a template or
 * cloning it gives `[secret]` or nothing. Only {@link reveal} gives it, at the place where it is used.
 */
export class Secret {
  static {
    // What console.log and util.inspect show in Node.
    const inspect = Symbol.for("nodejs.util.inspect.custom");
    Object.defineProperty(Secret.prototype, inspect, { value: () => "[secret]" });
  }

  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text itself. Whoever calls this answers for where it goes. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return "[secret]";
  }

  toJSON(): string {
    return "[secret]";
  }
}

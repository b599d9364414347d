/** What every error of Dragoman is given besides its message. */
export interface DragomanErrorOptions<Code extends string = string> {
  /** Stable, kebab-case name of what went wrong. */
  readonly code: Code;
  /** The error that led to this one, kept whole. */
  readonly cause?: unknown;
}

/**
 * The root of all errors that Dragoman makes.
 *
 * `code` is stable and meant for programs; `message` says what failed, on what and what to do, and
 * never holds a credential. `cause` keeps the original error. Each folder has one subclass that
 * narrows `code` to a documented union.
 */
export class DragomanError<Code extends string = string> extends Error {
  static {
    brandError(DragomanError, "DragomanError");
  }

  /** Stable, kebab-case name of what went wrong. */
  readonly code: Code;

  constructor(message: string, options: DragomanErrorOptions<Code>) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = new.target.name;
    this.code = options.code;
  }

  /** Whether `value` is such an error, also when it comes from another installed copy. */
  static is(value: unknown): value is DragomanError {
    return hasErrorBrand(value, "DragomanError");
  }
}

/** Codes of {@link ConfigurationError}. */
export type ConfigurationErrorCode =
  /** A function of the application's that was asked for something threw; `cause` is what it threw. */
  | "callback-failed"
  | "invalid-definition"
  | "invalid-configuration"
  | "invalid-schema"
  /** The id of a model that nobody provides. */
  | "unknown-model"
  /** A model needs a key of its provider, and none is given or set in the environment. */
  | "missing-api-key"
  | "missing-package"
  /** There is nothing here to make a sandbox with; the message says what to install. */
  | "sandbox-unavailable";

/**
 * A mistake in a definition or a configuration, for the programmer to mend. It is thrown where the
 * mistake is made and is never turned into a tool result or swallowed by an optional server.
 */
export class ConfigurationError extends DragomanError<ConfigurationErrorCode> {
  static {
    brandError(ConfigurationError, "ConfigurationError");
  }

  static override is(value: unknown): value is ConfigurationError {
    return hasErrorBrand(value, "ConfigurationError");
  }
}

/**
 * Marks a class of errors so that {@link hasErrorBrand} finds its instances across installed copies.
 * Called once, in the class's static block.
 */
export function brandError(errorClass: { readonly prototype: object }, name: string): void {
  Object.defineProperty(errorClass.prototype, brandOf(name), { value: true });
}

/** Whether `value` is an instance of the error class that was branded `name`, or of a subclass. */
export function hasErrorBrand(value: unknown, name: string): boolean {
  return typeof value === "object" && value !== null && brandOf(name) in value;
}

// A declaration, because the classes above are branded before a constant down here exists.
function brandOf(name: string): symbol {
  return Symbol.for(`dragoman.error.${name}`);
}

/**
 * The text of whatever was thrown: an error's message, a text itself, the message of what is no Error and
 * has one. Nothing else of an object is shown: it may hold credentials. It never throws.
 */
export function messageOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) {
      return thrown.message || thrown.name;
    }
    if (typeof thrown === "object" && thrown !== null) {
      const { message } = thrown as { readonly message?: unknown }; // absent in most
      return typeof message === "string" && message !== "" ? message : silent("an object");
    }
    return thrown === undefined || thrown === null ? silent(String(thrown)) : String(thrown);
  } catch {
    return "Something was thrown that cannot be shown.";
  }
}

const silent = (what: string): string =>
  `What was thrown is ${what}, which says nothing: throw an Error with a message.`;

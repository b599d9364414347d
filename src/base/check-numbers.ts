import { ConfigurationError, type ConfigurationErrorCode } from "./dragoman-error.ts";

/**
 * What a number must be that an application gives. Times and sizes may be `Infinity`, which is no limit;
 * counts may not.
 */
export type NumberRule = "count" | "count-or-0" | "bytes" | "milliseconds" | "milliseconds-or-0";

interface Rule {
  readonly words: string;
  readonly holds: (value: number) => boolean;
}

const rules: Readonly<Record<NumberRule, Rule>> = {
  count: {
    words: "a whole number above 0",
    holds: (value) => Number.isSafeInteger(value) && value > 0,
  },
  "count-or-0": {
    words: "a whole number, 0 or more",
    holds: (value) => Number.isSafeInteger(value) && value >= 0,
  },
  bytes: {
    words: "a whole number of bytes above 0",
    holds: (value) => value === Infinity || (Number.isSafeInteger(value) && value > 0),
  },
  milliseconds: { words: "a number of milliseconds above 0", holds: (value) => value > 0 },
  "milliseconds-or-0": {
    words: "a number of milliseconds, 0 or more",
    holds: (value) => value >= 0,
  },
};

/** Where the numbers are, and whose mistake it is where one is wrong. */
export interface NumberPlace {
  /** As in `of agent "support"`. */
  readonly where: string;
  /** Default `"invalid-configuration"`. */
  readonly code?: ConfigurationErrorCode;
}

/**
 * Checks the numbers among options; those that are absent have their defaults.
 *
 * @throws ConfigurationError that names the option, what it is and what it must be: one that is `NaN`, a
 * text or negative would otherwise be no limit at all, or one that is over at once.
 */
export function checkNumbers<Options extends object>(
  options: Options,
  wanted: { readonly [Key in keyof Options]?: NumberRule },
  { where, code = "invalid-configuration" }: NumberPlace,
): void {
  const values = options as Readonly<Record<string, unknown>>; // whatever is there is looked at
  const rulesByKey = Object.entries(wanted) as readonly (readonly [string, NumberRule])[]; // as typed
  for (const [key, rule] of rulesByKey) {
    const value = values[key];
    const { words, holds } = rules[rule];
    if (value !== undefined && !(typeof value === "number" && holds(value))) {
      const message = `${key} ${where} is ${shown(value)}; it must be ${words}.`;
      throw new ConfigurationError(message, { code });
    }
  }
}

/** A value as it is, where it may be shown; what is no number or text is named by its type. */
function shown(value: unknown): string {
  switch (typeof value) {
    case "number":
    case "bigint":
      return String(value);
    case "string":
      return `the text ${JSON.stringify(value.slice(0, 40))}`;
    default:
      return value === null ? "null" : `a value of type ${typeof value}`;
  }
}

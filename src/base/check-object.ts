import { didYouMean } from "./closest-name.ts";
import { ConfigurationError } from "./dragoman-error.ts";
import { isJsonObject } from "./json.ts";

/** @throws ConfigurationError where it is no object, or has a key that is not known. */
export function checkObject(value: unknown, known: readonly string[], what: string): void {
  if (!isJsonObject(value)) {
    throw invalid(`The ${what} must be an object.`);
  }
  refuseUnknownKeys(value, known, `The ${what}`);
}

/**
 * @param elsewhere what other libraries call a key, by their name for it.
 * @throws ConfigurationError that says what the key may have been meant to be, and what is allowed.
 */
export function refuseUnknownKeys(
  value: object,
  known: readonly string[],
  what: string,
  elsewhere: Readonly<Record<string, string>> = {},
): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    const own = Object.hasOwn(elsewhere, unknown) ? elsewhere[unknown] : undefined;
    const hint = own === undefined ? didYouMean(unknown, known) : ` It is called "${own}" here.`;
    throw invalid(
      `${what} has an unknown property "${unknown}".${hint} Allowed are: ${known.join(", ")}.`,
    );
  }
}

const invalid = (message: string): ConfigurationError =>
  new ConfigurationError(message, { code: "invalid-definition" });

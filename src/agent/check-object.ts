import { didYouMean } from "../base/closest-name.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { isJsonObject } from "../base/json.ts";

/** @throws ConfigurationError where it is no object, or has a key that is not known. */
export function checkObject(value: unknown, known: readonly string[], what: string): void {
  if (!isJsonObject(value)) {
    throw invalid(`The ${what} must be an object.`);
  }
  refuseUnknownKeys(value, known, `The ${what}`);
}

/** @throws ConfigurationError that says what the key may have been meant to be, and what is allowed. */
export function refuseUnknownKeys(value: object, known: readonly string[], what: string): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    throw invalid(
      `${what} has an unknown property "${unknown}".${didYouMean(unknown, known)} Allowed are: ${known.join(", ")}.`,
    );
  }
}

const invalid = (message: string): ConfigurationError =>
  new ConfigurationError(message, { code: "invalid-definition" });

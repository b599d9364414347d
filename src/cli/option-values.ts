import { InvalidArgumentError } from "commander";

/** Collects the values of an option that may be given several times. */
export function append(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** A number above 0. @throws InvalidArgumentError, which commander reports */
export function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0 && Number.isFinite(value))) {
    throw new InvalidArgumentError("It must be a number above 0.");
  }
  return value;
}

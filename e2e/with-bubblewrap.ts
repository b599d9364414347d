import { describe } from "vitest";
import { findBubblewrap } from "../src/process/find-bubblewrap.ts";

/** Why there can be no sandbox here; undefined where there can. */
const unavailable: string | undefined = await findBubblewrap().then(
  () => undefined,
  (error: Error) => error.message,
);

/**
 * A group of tests that need a sandbox. Where there can be none they are left out, with the reason in their
 * name; where everything is checked (CI is set) they run nevertheless, and fail with it.
 */
export function describeWithBubblewrap(name: string, tests: () => void): void {
  const isLeftOut = unavailable !== undefined && process.env["CI"] === undefined;
  const title = isLeftOut ? `${name} (LEFT OUT: ${unavailable})` : name;
  describe.skipIf(isLeftOut)(title, tests);
}

import { expect } from "vitest";

/** What the promise rejects with; fails where it does not. */
export const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable("it was expected to fail"),
    (error: unknown) => error,
  );

import { AuthorizationNeeded } from "./authorization-needed.ts";

/** A request leads to so many questions to a person at most: for access, and for more of it. */
const mostQuestions = 2;

/**
 * Does again what failed for want of access, once somebody has granted it; any other failure stays. The
 * time that takes is not the server's. A server that is never content is not asked for ever.
 */
export async function askingForAccess<Value>(
  failure: unknown,
  signal: AbortSignal,
  attempt: () => Promise<Value>,
): Promise<Value> {
  let error = failure;
  for (let asked = 0; error instanceof AuthorizationNeeded && asked < mostQuestions; asked += 1) {
    await error.authorize(signal);
    try {
      return await attempt();
    } catch (again) {
      error = again;
    }
  }
  throw error;
}

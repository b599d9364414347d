import { expect, test } from "vitest";
import { type ManualClock, manualClock } from "../testing/manual-clock.ts";
import { whenFree } from "./when-free.ts";

const fault = (code: string): Error => Object.assign(new Error(code), { code });

/** Fails so often, and then works. */
function failing(times: number, code = "EPERM") {
  let tries = 0;
  return {
    tries: () => tries,
    work: async (): Promise<string> => {
      tries += 1;
      if (tries <= times) {
        throw fault(code);
      }
      return "done";
    },
  };
}

/** Moves the clock on as soon as somebody waits for it. */
async function pass(clock: ManualClock, durationMs: number): Promise<void> {
  await expect.poll(() => clock.pending, { interval: 1 }).toBe(1);
  clock.advance(durationMs);
}

test.each(["EPERM", "EACCES", "EBUSY"])(
  "on Windows a file that is in use (%s) is waited for",
  async (code) => {
    const clock = manualClock();
    const { work, tries } = failing(2, code);
    const done = whenFree(work, { platform: "win32", clock });
    await pass(clock, 25);
    await pass(clock, 25);
    expect(await done).toBe("done");
    expect(tries()).toBe(3);
  },
);

test("it is not waited for without end", async () => {
  const clock = manualClock();
  const { work, tries } = failing(1_000);
  const refused = expect(whenFree(work, { platform: "win32", clock })).rejects.toThrow("EPERM");
  await pass(clock, 1_000);
  await pass(clock, 1_000);
  await refused;
  expect(tries()).toBe(3);
});

test.each([
  ["linux", "EPERM"],
  ["win32", "ENOENT"],
])("on %s %s is told at once", async (platform, code) => {
  const { work, tries } = failing(1, code);
  await expect(whenFree(work, { platform, clock: manualClock() })).rejects.toThrow(code);
  expect(tries()).toBe(1);
});

import { expect, test } from "vitest";
import { manualClock } from "../testing/manual-clock.ts";
import { MemorySteps } from "./memory-steps.ts";
import type { RunEventBody } from "./run-event.ts";

function setUp() {
  const controller = new AbortController();
  const clock = manualClock(1_000);
  const events: RunEventBody[] = [];
  const { signal } = controller;
  const steps = new MemorySteps({ runId: "r", signal, clock, emit: (event) => events.push(event) });
  return { controller, clock, events, steps };
}

test("each step has a key of its own, taken in the order of the calls", async () => {
  const { steps } = setUp();
  const keys = await Promise.all(
    ["a", "b"].map((name) => steps.run(name, async ({ idempotencyKey }) => idempotencyKey)),
  );
  expect(keys).toEqual(["r:1", "r:2"]);
  await steps.now();
  expect(await steps.run("c", async ({ idempotencyKey }) => idempotencyKey)).toBe("r:4");
});

test("a step gives what it does, or throws what it throws", async () => {
  const { steps } = setUp();
  expect(await steps.run("a", async () => ({ value: 1 }))).toEqual({ value: 1 });
  const failing = steps.run("a", () => Promise.reject(new Error("no")));
  await expect(failing).rejects.toThrow("no");
});

test("waitFor gets a value that was sent before, or is sent later", async () => {
  const { steps } = setUp();
  steps.deliver("early", 1);
  expect(await steps.waitFor("early")).toBe(1);
  const later = steps.waitFor("late");
  steps.deliver("other", 0);
  steps.deliver("late", { yes: true });
  expect(await later).toEqual({ yes: true });
});

test("waitFor gives null when its time is over", async () => {
  const { steps, clock } = setUp();
  const waiting = steps.waitFor("never", { timeoutMs: 50 });
  clock.advance(50);
  expect(await waiting).toBeNull();
  expect(clock.pending).toBe(0);
});

test("sleep ends after its time", async () => {
  const { steps, clock } = setUp();
  const sleeping = steps.sleep(10);
  expect(clock.pending).toBe(1);
  clock.advance(10);
  await sleeping;
  expect(await steps.now()).toBe(1_010);
});

test("sleep and waitFor end when the run is cancelled, and leave no timer", async () => {
  const { steps, clock, controller } = setUp();
  const waiting = [steps.sleep(1_000), steps.waitFor("never", { timeoutMs: 1_000 })];
  controller.abort("stop");
  const reasons = (await Promise.allSettled(waiting)).map((settled) =>
    settled.status === "rejected" ? settled.reason : "fulfilled",
  );
  expect(reasons).toEqual(["stop", "stop"]);
  expect(clock.pending).toBe(0);
});

test("random ids differ and events are published", async () => {
  const { steps, events } = setUp();
  expect(await steps.randomId()).not.toBe(await steps.randomId());
  steps.emit({ kind: "notice", code: "x", message: "y" });
  expect(events).toEqual([{ kind: "notice", code: "x", message: "y" }]);
});

import { expect } from "vitest";
import type { RunEvent } from "../src/agent/run-event.ts";

/** No duplicate, everything that was opened is closed, and the sequence rises. */
export function checkEvents(events: readonly RunEvent[]): void {
  const sequences = events.map(({ sequence }) => sequence);
  expect(sequences).toEqual([...new Set(sequences)].sort((one, other) => one - other));
  const once = events.flatMap((event) => {
    switch (event.kind) {
      case "run-start":
      case "run-end":
        return [event.kind];
      case "step-start":
      case "step-end":
        return [`${event.kind} ${event.part ?? ""}${event.step}`];
      case "text-start":
      case "text-end":
      case "tool-start":
      case "tool-end":
        return [`${event.kind} ${event.id}`];
      default:
        return [];
    }
  });
  expect(once).toEqual([...new Set(once)]);
  const starts = once.filter((one) => / /.test(one) && one.includes("-start"));
  expect(starts.map((one) => one.replace("-start", "-end")).toSorted()).toEqual(
    once.filter((one) => / /.test(one) && one.includes("-end")).toSorted(),
  );
  const models = events.filter(({ kind }) => kind === "model-start" || kind === "model-end");
  expect(models.map(({ kind }) => kind)).toEqual(
    models.map((_, index) => (index % 2 === 0 ? "model-start" : "model-end")),
  );
}

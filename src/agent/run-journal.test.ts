import { expect, test } from "vitest";
import { RunJournal } from "./run-journal.ts";
import type { StepRecord } from "./run-store.ts";

const step = (key: string): StepRecord => ({ kind: "finished", key, value: key });

test("a journal keeps what nobody else keeps, and no more", async () => {
  const alone = new RunJournal([step("before")], () => undefined);
  await alone.add(step("now"));
  expect(alone.records.map(({ key }) => key)).toEqual(["before", "now"]);
  const written: string[] = [];
  const elsewhere = new RunJournal([step("before")], async ({ key }) => void written.push(key));
  await elsewhere.add(step("now"));
  expect(elsewhere.records.map(({ key }) => key)).toEqual(["before"]);
  expect(written).toEqual(["now"]);
});

import { expect, test } from "vitest";
import { EventLog } from "../base/event-log.ts";
import { eventMerging, type RunEvent } from "./run-event.ts";

const piece = (part: string, text: string, sequence: number): RunEvent => ({
  kind: "text-delta",
  id: "1.t",
  text,
  runId: "run",
  sequence,
  time: 0,
  agentPath: ["boss", "scout"],
  part,
});

test("pieces of one text are joined for a slow reader, those of another participant's are not", async () => {
  const log = new EventLog(eventMerging);
  log.append(piece("scout#1/", "Nor", 1));
  log.append(piece("scout#1/", "th", 2));
  log.append(piece("scout#2/", "South", 3));
  log.close();
  const texts: unknown[] = [];
  for await (const event of log) {
    texts.push(event.kind === "text-delta" && [event.part, event.text]);
  }
  expect(texts).toEqual([
    ["scout#1/", "North"],
    ["scout#2/", "South"],
  ]);
});

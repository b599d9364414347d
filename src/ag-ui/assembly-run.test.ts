import { expect, test } from "vitest";
import { eventsIn, post, user } from "../../test/ag-ui-client.ts";
import { brokenRules } from "../../test/ag-ui-rules.ts";
import { assemblyOf, kinds, working } from "../../test/assembly-kinds.ts";
import { crew } from "../../test/crew.ts";
import { defineTool } from "../tool/define-tool.ts";
import { createAgUiHandler } from "./create-ag-ui-handler.ts";

const ids = { threadId: "thread", runId: "run-1" };

test.each(kinds)("a %s is a run for AG-UI, and its members are subagents", async (kind) => {
  const team = crew();
  const work = defineTool({ name: "work", description: "Works.", execute: () => "worked" });
  const members = [
    team.member("first", working("work", "one"), { tools: [work] }),
    team.member("second", working("work", "two"), { tools: [work] }),
  ] as const;
  const handler = createAgUiHandler(assemblyOf(kind, team, members), { authenticate: () => ({}) });
  const events = await eventsIn(await post(handler, { messages: [user("Go")] }));
  expect(brokenRules(events, ids)).toEqual([]);
  expect(events.at(-1)?.type).toBe("RUN_FINISHED");
  const names = events.flatMap((event) => (event.type === "SUBAGENT_STARTED" ? [event.name] : []));
  expect(names).toEqual(["first", "second"]);
  const texts = events.flatMap((event) =>
    event.type === "TEXT_MESSAGE_CONTENT" ? [event.delta] : [],
  );
  expect(texts.join(" ")).toContain("two");
});

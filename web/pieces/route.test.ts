import { expect, test } from "vitest";
import { formatRoute, parseRoute, type Route } from "./route.ts";

test.each<Route>([
  { page: "chat" },
  { page: "chat", agent: "back desk/1", session: "chat-%41#" },
  { page: "agents", agent: "ä?" },
  { page: "tools", agent: "a", tool: "read_file" },
  { page: "runs", run: "run_1" },
])("the address of %o leads back to it", (route) => {
  expect(parseRoute(formatRoute(route))).toEqual(route);
});

test("an address that says nothing, or nonsense, is the chat", () => {
  for (const fragment of ["", "#", "#/", "#/nowhere/x"]) {
    expect(parseRoute(fragment).page).toBe("chat");
  }
  expect(parseRoute("#/runs/%E0%A4%A")).toEqual({ page: "runs", run: "%E0%A4%A" });
});

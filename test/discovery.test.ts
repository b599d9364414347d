import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import type { Discovery } from "../src/agent/discovery.ts";
import type { RunEvent } from "../src/agent/run-event.ts";
import { silentLogger } from "../src/base/logger.ts";
import { createDragoman, type DragomanConfig } from "../src/configure.ts";
import type { ScriptedTurn } from "../src/testing/scripted-model.ts";
import type { McpServerConfig } from "../src/tool/mcp-server-config.ts";
import type { Scorer } from "../src/tool/scorer.ts";
import { collect, modelOf } from "./agent-fixture.ts";
import { fakeStdio, referenceServer, runningChildren } from "./fixtures/mcp/servers.ts";

const folder = await mkdtemp(join(tmpdir(), "dragoman-discovery-"));
await writeFile(join(folder, "note.txt"), "milk");
afterAll(() => rm(folder, { recursive: true }));
afterEach(() => expect(runningChildren()).toEqual([]));

const files = (description?: string): McpServerConfig => ({
  name: "files",
  ...(description === undefined ? {} : { description }),
  transport: referenceServer("filesystem", { args: [folder] }),
});

const packages = (description?: string): McpServerConfig => ({
  name: "packages",
  ...(description === undefined ? {} : { description }),
  transport: fakeStdio({
    pages: {
      "": {
        tools: ["install_package", "remove_package", "list_packages"].map((name) => ({
          name,
          description: `${name.replace("_", " ")} of the system`,
          inputSchema: { type: "object", properties: { package: { type: "string" } } },
        })),
      },
    },
  }),
});

const described = [
  files("Read, write and search files and directories on the local disk"),
  packages("Package manager: install, update and remove software packages"),
];

/** What a run of an agent with these servers does. */
async function runWith(
  message: string,
  discovery: Discovery,
  { servers = described, turns = ["done"], config = {} }: RunSettings = {},
) {
  const model = modelOf(...turns);
  const agent = createDragoman({ logger: silentLogger, env: {}, ...config }).defineAgent({
    name: "tester",
    model,
    mcp: servers,
    discovery,
  });
  const run = agent.stream(message);
  const events = await collect(run);
  return { events, model, result: await run.result };
}

interface RunSettings {
  readonly servers?: readonly McpServerConfig[];
  readonly turns?: [ScriptedTurn, ...ScriptedTurn[]];
  readonly config?: DragomanConfig;
}

const connected = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.kind === "server-connect" ? [event.server] : []));

const decisions = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.kind === "discovery-end" ? [event] : []));

const install = "Please install the package lodash";

test("R16: of a file server and a package manager, a message about installing a package connects the latter", async () => {
  const { events, model } = await runWith(install, { servers: { scorer: "tf-cosine" } });
  expect(connected(events)).toEqual(["packages"]);
  expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual([
    "install_package",
    "remove_package",
    "list_packages",
  ]);
  expect(decisions(events)).toMatchObject([
    {
      of: "servers",
      reason: "chosen",
      scorer: "tf-cosine",
      threshold: 0.05,
      servers: [
        { name: "files", chosen: false, score: 0 },
        { name: "packages", chosen: true, score: expect.any(Number) },
      ],
    },
  ]);
});

test("R16: the default scorer chooses the same", async () => {
  const { events } = await runWith(install, { servers: true });
  expect(connected(events)).toEqual(["packages"]);
  expect(decisions(events)).toMatchObject([{ reason: "chosen", scorer: "bm25f" }]);
});

test("R16: without discovery all servers are connected", async () => {
  const { events } = await runWith(install, {});
  expect(connected(events).toSorted()).toEqual(["files", "packages"]);
  expect(decisions(events)).toEqual([]);
});

const failing: Scorer = {
  name: "embeddings",
  threshold: 0.5,
  score: () => Promise.reject(new Error("the service is down")),
};

test.each([
  ["no server has a description", install, "no-description", "tf-cosine", [files(), packages()]],
  ["the message is blank", " ", "blank-message", "tf-cosine", described],
  ["nothing reaches the threshold", "Sing a lullaby", "below-threshold", "tf-cosine", described],
  ["the scorer is unavailable", install, "scorer-unavailable", failing, described],
] as const)(
  "R17: all servers are connected where %s",
  async (_, message, reason, scorer, servers) => {
    const { events } = await runWith(message, { servers: { scorer } }, { servers });
    expect(connected(events).toSorted()).toEqual(["files", "packages"]);
    expect(decisions(events)).toMatchObject([{ of: "servers", reason }]);
  },
);

test("the model is shown the best tools, and finds the others when it searches", async () => {
  const { events, model, result } = await runWith(
    "What is in note.txt?",
    { tools: { limit: 3 } },
    {
      turns: [
        { calls: [{ name: "find_tools", arguments: { query: "install a package" } }] },
        { calls: [{ name: "install_package", arguments: { package: "lodash" } }] },
        "installed",
      ],
    },
  );
  expect(result).toMatchObject({ status: "completed", text: "installed" });
  const shown = model.requests.map(({ tools }) => tools.map(({ name }) => name));
  expect(shown[0]).toHaveLength(4);
  expect(shown[0]).toContain("find_tools");
  expect(shown[0]).toContain("read_text_file");
  expect(shown[0]).not.toContain("install_package");
  expect(shown[1]?.slice(0, 4)).toEqual(shown[0]);
  expect(shown[1]).toContain("install_package");
  expect(shown[2]).toEqual(shown[1]);
  expect(decisions(events)).toMatchObject([
    { of: "tools", reason: "chosen", scorer: "bm25f", query: "What is in note.txt?" },
    { of: "tools", reason: "found", query: "install a package" },
  ]);
});

test("a server that was not chosen is connected when one of its tools is found, and not before", async () => {
  const discovery: Discovery = { servers: true, tools: { limit: 2 } };
  const dragoman = createDragoman({ logger: silentLogger, env: {} });
  const asking = (...turns: [ScriptedTurn, ...ScriptedTurn[]]) =>
    dragoman.defineAgent({ name: "tester", model: modelOf(...turns), mcp: described, discovery });
  // Once, so that the catalogues are known.
  await asking("hello").ask(" ");

  const quiet = await collect(asking("done").stream(install));
  expect(connected(quiet)).toEqual(["packages"]);

  const run = asking(
    { calls: [{ name: "find_tools", arguments: { query: "read a text file" } }] },
    {
      calls: [{ name: "read_text_file", arguments: { path: join(folder, "note.txt") } }],
    },
    "read",
  ).stream(install);
  const events = await collect(run);
  expect(connected(events)).toEqual(["packages", "files"]);
  const results = events.flatMap((event) => (event.kind === "tool-end" ? [event.result] : []));
  expect(results[1]).toMatchObject({ kind: "success" });
  expect(JSON.stringify(results[1])).toContain("milk");
});

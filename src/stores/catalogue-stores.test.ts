import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agentOf, collect, modelOf } from "../../test/agent-fixture.ts";
import { testCatalogueStore } from "../../test/catalogue-store-tests.ts";
import { toolCalled } from "../../test/toolset-fixture.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import type { CatalogueStore } from "../tool/catalogue.ts";
import type { Toolset, ToolsetObserver } from "../tool/toolset.ts";
import { fileCatalogues } from "./file-catalogues.ts";
import { sqliteCatalogues } from "./sqlite-catalogues.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-catalogues-"));
});
afterAll(() => rm(folder, { recursive: true }));

let count = 0;
const nextPlace = (): string => {
  count += 1;
  return join(folder, String(count));
};

describe("as files", () =>
  testCatalogueStore((options) => fileCatalogues({ ...options, folder: nextPlace() })));
describe("on SQLite", () =>
  testCatalogueStore((options) => sqliteCatalogues({ ...options, file: nextPlace() })));

test("an age that is none is a ConfigurationError", () => {
  expect(() => fileCatalogues({ folder, maxAgeMs: 0 })).toThrow(ConfigurationError);
});

test("a file that was damaged counts as not known, and names of files tell nothing", async () => {
  const place = nextPlace();
  const store = fileCatalogues({ folder: place });
  await store.set("a secret key", { revision: "", time: Date.now(), tools: [] });
  const [name = ""] = await readdir(place);
  expect(name).toMatch(/^[0-9a-f]{64}\.json$/);
  expect(await readFile(join(place, name), "utf8")).not.toContain("secret");
  await writeFile(join(place, name), '{"tools":"{"}');
  expect(await store.get("a secret key")).toBeUndefined();
});

/** Ten servers, of which each actor sees tools of their own; and which of them were opened. */
function serversOf(opened: string[], observers: ToolsetObserver[] = []): readonly Toolset[] {
  return Array.from({ length: 10 }, (_one, index) => {
    const name = `server${index}`;
    return {
      name,
      catalogueKey: ({ run }) => `${name} of ${run.actor}`,
      async open({ run }, observer) {
        opened.push(name);
        observers.push(observer);
        const tool = `${run.actor}_${["invoices", "weather", "trains"][index] ?? `other${index}`}`;
        return { tools: [toolCalled(tool, name)], close: async () => {} };
      },
    };
  });
}

/** As a process that has just begun: nothing is known but what the store has. */
async function ask(catalogues: CatalogueStore, mcp: readonly Toolset[], actor: string) {
  const model = modelOf("done");
  const agent = agentOf({ model, mcp, discovery: { servers: true } }, { catalogues });
  const events = await collect(agent.stream("How is the weather?", { actor }));
  return events.find((event) => event.kind === "discovery-end");
}

const places: Readonly<
  Record<string, (place: string) => CatalogueStore & Partial<AsyncDisposable>>
> = {
  file: (place) => fileCatalogues({ folder: place }),
  sqlite: (place) => sqliteCatalogues({ file: place }),
};

test.each(Object.entries(places))(
  "a process that begins anew with a %s store opens the servers that are for the question, and no others",
  async (_, openStore) => {
    const place = nextPlace();
    const opened: string[] = [];
    const first = openStore(place);
    await ask(first, serversOf(opened), "ann");
    expect(opened).toHaveLength(10);
    await first[Symbol.asyncDispose]?.();
    opened.length = 0;
    const second = openStore(place);
    expect(await ask(second, serversOf(opened), "ann")).toMatchObject({ reason: "chosen" });
    expect(opened).toEqual(["server1"]);
    // What one actor's servers have is not known for another.
    opened.length = 0;
    expect(await ask(second, serversOf(opened), "bob")).not.toMatchObject({ reason: "chosen" });
    expect(opened).toHaveLength(10);
    await second[Symbol.asyncDispose]?.();
  },
);

test("a server that says that its tools have changed is forgotten", async () => {
  const store = fileCatalogues({ folder: nextPlace() });
  const observers: ToolsetObserver[] = [];
  await ask(store, serversOf([], observers), "ann");
  expect(await store.get("server1 of ann")).toBeDefined();
  observers[1]?.toolsChanged?.();
  await expect.poll(() => store.get("server1 of ann")).toBeUndefined();
  expect(await store.get("server2 of ann")).toBeDefined();
});

import { expect, test } from "vitest";
import { eventsIn, refusalIn } from "../../test/ag-ui-client.ts";
import { modelOf } from "../../test/agent-fixture.ts";
import { agUiInput, jsonOf, serve, type TestServer } from "../../test/server-fixture.ts";
import { memoryArtifacts } from "../stores/memory-artifacts.ts";
import { Artifact } from "../tool/artifact.ts";
import { defineTool } from "../tool/define-tool.ts";
import { toolSuccess } from "../tool/tool-result.ts";

/** A server whose agent has just made this file for Ada. */
async function serverWith(mediaType: string, name: string, data = "data"): Promise<TestServer> {
  const tool = defineTool({
    name: "make",
    description: "Makes a file.",
    inputSchema: { type: "object" },
    execute: () =>
      toolSuccess("Made.", { artifacts: [Artifact.inline({ data, mediaType, name })] }),
  });
  const server = await serve(
    { model: modelOf({ calls: [{ name: "make" }] }, "Done."), tools: [tool] },
    { config: { artifacts: { store: memoryArtifacts() } } },
  );
  await eventsIn(await server.ask("/agents/tester/ag-ui", { body: agUiInput("Make it") }));
  return server;
}

const files: readonly (readonly [string, string, string])[] = [
  ["text/html", "page.html", "attachment; filename=\"page.html\"; filename*=UTF-8''page.html"],
  ["image/svg+xml", "a b.svg", "attachment; filename=\"a_b.svg\"; filename*=UTF-8''a%20b.svg"],
  ["image/png", "../../etc/x.png", "inline; filename=\"x.png\"; filename*=UTF-8''x.png"],
  [
    "text/csv",
    'ü";\r\nset-cookie: a.csv',
    "attachment; filename=\"_____set-cookie__a.csv\"; filename*=UTF-8''%C3%BC%22%3B%0D%0Aset-cookie%3A%20a.csv",
  ],
];

test.each(files)(
  "P7: a file of type %s named %j is given as it is, and can do nothing",
  async (type, name, disposition) => {
    await using server = await serverWith(type, name);
    const { artifacts } = await jsonOf(await server.ask("/artifacts"));
    expect(artifacts).toMatchObject([{ mediaType: type, actor: "ada", session: "thread" }]);
    const response = await server.ask(`/artifacts/${artifacts[0].id}`);
    expect(await response.text()).toBe("data");
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": type,
      "content-disposition": disposition,
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
    });
    expect(response.headers.get("set-cookie")).toBeNull();
  },
);

test("P7: another's artifact is as if it were not there, also for who knows its bytes", async () => {
  await using server = await serverWith("text/plain", "a.txt");
  const { artifacts } = await jsonOf(await server.ask("/artifacts"));
  const path = `/artifacts/${artifacts[0].id}`;
  expect(await refusalIn(await server.ask(path, { as: "eve" }))).toEqual([404, "not-found"]);
  expect(await jsonOf(await server.ask("/artifacts", { as: "eve" }))).toEqual({ artifacts: [] });
  expect((await server.ask(path, { as: null })).status).toBe(401);
  expect((await server.ask("/artifacts/sha256-0")).status).toBe(404);
  expect((await server.ask(path, { method: "HEAD" })).headers.get("content-length")).toBe("4");
});

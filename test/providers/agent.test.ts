import { expect, test } from "vitest";
import * as z from "zod";
import { silentLogger } from "../../src/base/logger.ts";
import { createDragoman } from "../../src/configure.ts";
import type { ServerReply } from "../../src/testing/model-server.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import { allProviders } from "./all-providers.ts";
import type { Provider } from "./provider.ts";

/** An agent that reads files, on a server that replies so. */
async function runOn(provider: Provider, replies: readonly ServerReply[]) {
  await using server = await provider.start({
    respond: (_request, index) => replies[index] ?? "Done",
    bytesPerWrite: 5,
  });
  const given: unknown[] = [];
  const read = defineTool({
    name: "read",
    description: "Reads a file.",
    inputSchema: z.object({ path: z.string(), deep: z.boolean().optional() }),
    execute: async (input) => {
      given.push(input);
      return "contents";
    },
  });
  const dragoman = createDragoman({ logger: silentLogger, env: {} });
  const agent = dragoman.defineAgent({
    name: "reader",
    instructions: "Be brief.",
    model: provider.make(server.baseUrl),
    tools: [read],
    mcp: "none",
  });
  const result = await agent.ask("Read them.");
  return { result, given, bodies: server.requests.map(({ body }) => body) };
}

const calls = [
  { id: "a", name: "read", arguments: '{"path":"/a"}', signature: "sig-c" },
  { id: "b", name: "read", arguments: '{"path":"/b"}' },
];
const asking = { kind: "answer", reasoning: "hm", signature: "sig-r", calls } as const;

test.each(allProviders)(
  "with $name an agent runs parallel calls and answers each",
  async (provider) => {
    const { result, given, bodies } = await runOn(provider, [asking]);
    expect(result).toMatchObject({ status: "completed", text: "Done" });
    expect(given).toEqual([{ path: "/a" }, { path: "/b" }]);
    const [, second = {}] = bodies;
    expect(provider.read.results(second)).toEqual(["contents", "contents"]);
    expect(provider.read.opaque(second)).toEqual(provider.givenBack);
  },
);

test.each(allProviders)(
  "with $name ids that repeat from turn to turn do no harm",
  async (provider) => {
    const { result, given } = await runOn(provider, [asking, asking]);
    expect(result).toMatchObject({ status: "completed" });
    expect(given).toHaveLength(4);
  },
);

test.each(allProviders)(
  "with $name arguments that do not fit are an error that the model reads",
  async (provider) => {
    const wrong = [{ id: "a", name: "read", arguments: '{"path":1}', signature: "sig-c" }];
    const { result, given, bodies } = await runOn(provider, [{ kind: "answer", calls: wrong }]);
    expect(result).toMatchObject({ status: "completed", text: "Done" });
    expect(given).toEqual([]);
    expect(provider.read.results(bodies[1] ?? {}).join()).toMatch(/path/);
  },
);

test.each(allProviders)("with $name a typed answer is asked for and given", async (provider) => {
  await using server = await provider.start({ respond: () => '{"city":"Paris"}' });
  const agent = createDragoman({ logger: silentLogger, env: {} }).defineAgent({
    name: "a",
    model: provider.make(server.baseUrl),
    mcp: "none",
    output: z.object({ city: z.string().min(1) }),
  });
  const result = await agent.ask("Where?");
  expect(result).toMatchObject({ status: "completed", output: { city: "Paris" } });
  expect(provider.read.schema(server.requests[0]?.body ?? {})).toMatchObject({ type: "object" });
});

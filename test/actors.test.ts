import { inspect } from "node:util";
import { expect, test } from "vitest";
import type { RunEvent } from "../src/agent/run-event.ts";
import type { RunResult } from "../src/agent/run-result.ts";
import type { Logger } from "../src/base/logger.ts";
import { mcpToolset } from "../src/mcp/toolset/mcp-toolset.ts";
import type { ModelRequest } from "../src/model/model.ts";
import { memoryArtifacts } from "../src/stores/memory-artifacts.ts";
import { scriptedModel } from "../src/testing/scripted-model.ts";
import type { HttpTransport } from "../src/tool/mcp-server-config.ts";
import { agentOf, collect } from "./agent-fixture.ts";
import { GuardedServer } from "./fixtures/mcp/guarded-server.ts";

const actors = Array.from({ length: 200 }, (_, index) => `actor-${index}`);
const tokenOf = (actor: string): string => `tk9${Buffer.from(actor).toString("hex")}Zq`;
const tokens = new Map(actors.map((actor) => [actor, tokenOf(actor)]));

/** Asks who it is and then for what fails, in the name that the user gave. */
const model = scriptedModel([
  ({ messages }: ModelRequest) => {
    const user = messages.find(({ role }) => role === "user");
    const actor = /actor-\d+/.exec(JSON.stringify(user))?.[0] ?? "nobody";
    const results = messages.filter(({ role }) => role === "tool").length;
    const name = results === 0 ? "whoami" : "fail";
    return results === 2 ? `Done for ${actor}.` : { calls: [{ name, arguments: { actor } }] };
  },
]);

/** One of the three ways in which a token is given. */
function transportFor(actor: string, url: string): HttpTransport {
  const token = tokenOf(actor);
  const ways = [
    { token },
    { headers: { authorization: `Bearer ${token}` } },
    { auth: { token: async () => token } },
  ];
  const way = ways[Number(actor.replace(/\D/g, "")) % ways.length];
  return { type: "streamable-http", url, allowInsecureHttp: true, ...way };
}

interface Told {
  readonly actor: string;
  readonly events: readonly RunEvent[];
  readonly result: RunResult;
  /** The texts of the run's artifacts. */
  readonly artifacts: readonly string[];
}

test("G-T3, G-T11: 200 runs at once of one agent for 200 actors call with their own tokens, and no token is told anywhere", async () => {
  await using server = await GuardedServer.start(tokens);
  const logged: unknown[][] = [];
  const log = (...entry: unknown[]): void => void logged.push(entry);
  const logger: Logger = { debug: log, info: log, warn: log, error: log };
  const store = memoryArtifacts();
  const guarded = mcpToolset({
    name: "guarded",
    transport: ({ run }) => transportFor(run.actor ?? "", server.url),
    timeoutMs: 60_000,
  });
  const agent = agentOf({ model, mcp: [guarded] }, { logger, artifacts: { store } });
  const told = await Promise.all(
    actors.map(async (actor): Promise<Told> => {
      const run = agent.stream(`I am ${actor}.`, { actor });
      const [events, result] = await Promise.all([collect(run), run.result]);
      return { actor, events, result, artifacts: await Promise.all(result.artifacts.map(textOf)) };
    }),
  );

  expect(server.violations).toEqual([]);
  expect(server.calls.size).toBe(actors.length);
  const stored: unknown[] = [];
  for (const { actor, events, result, artifacts } of told) {
    expect(result).toMatchObject({ status: "completed", text: `Done for ${actor}.` });
    expect(server.calls.get(actor)).toEqual(["whoami", "fail"]);
    expect(artifacts).toEqual([actor, `All of ${actor}`, `mem://${actor}`]);
    const kept = await store.list({ app: "default", actor });
    expect(kept.artifacts.map(({ runId }) => runId)).toEqual([result.runId, result.runId]);
    stored.push(kept);
    const failures = events.filter(
      (event) => event.kind === "tool-end" && event.result.kind === "error",
    );
    expect(failures).toMatchObject([{ name: "fail", result: { error: { code: "tool-http" } } }]);
  }
  const all = { depth: null, maxArrayLength: null, maxStringLength: null, showHidden: true };
  const everything = inspect([told, logged, stored], all);
  expect(everything).toContain("You are actor-199.");
  for (const token of tokens.values()) {
    expect(everything.includes(token)).toBe(false);
    expect(everything.includes(Buffer.from(token).toString("base64"))).toBe(false);
  }
}, 120_000);

const textOf = async ({ reference, read }: RunResult["artifacts"][number]): Promise<string> =>
  reference ?? Buffer.from(await read()).toString("utf8");

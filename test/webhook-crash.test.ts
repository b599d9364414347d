import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { dragoman, file, folder, inFolderOfItsOwn, type Running, start } from "./command-line.ts";
import { jsonOf } from "./server-fixture.ts";
import { signed, webhookSecret } from "./webhook-fixture.ts";
import { startReceiver } from "./webhook-receiver.ts";

inFolderOfItsOwn();

const source = (path: string): string => new URL(`../src/${path}`, import.meta.url).href;

/** An agent whose tool says that it has begun, and waits for a file, which the first process never sees. */
const agents = (
  callback: string,
) => `import { defineAgent, defineTool } from "${source("index.ts")}";
import { scriptedModel } from "${source("testing/index.ts")}";
import { standardWebhooks } from "${source("server/index.ts")}";
import { AddressGuard } from "${source("http/index.ts")}";
import { existsSync, appendFileSync, writeFileSync } from "node:fs";
const work = defineTool({
  name: "work",
  description: "Works.",
  inputSchema: { type: "object" },
  idempotent: true,
  execute: () => {
    writeFileSync("${join(folder(), "begun")}", "");
    if (!existsSync("${join(folder(), "go")}")) return new Promise(() => {});
    appendFileSync("${join(folder(), "done")}", "x");
    return "done";
  },
});
const model = scriptedModel([
  ({ messages }) => messages.at(-1).role === "tool" ? "It is done." : { calls: [{ id: "c1", name: "work", arguments: {} }] },
]);
export const agents = [defineAgent({ name: "worker", model, tools: [work] })];
const secret = "${webhookSecret}";
const http = { guard: new AddressGuard({ allow: [{ cidr: "127.0.0.0/8" }] }) };
export const server = {
  webhooks: {
    shop: {
      verify: standardWebhooks({ secret }),
      limits: { concurrency: 1 },
      callback: { url: "${callback}", secret, allowInsecureHttp: true, http },
    },
  },
};
`;

async function serving(...args: readonly string[]): Promise<Running & { readonly url: string }> {
  const running = start("serve", "--port", "0", ...args);
  let url = "";
  running.child.stdout?.on("data", (text: string) => {
    url ||= /Serving at (\S+)/.exec(text)?.[1] ?? "";
  });
  await running.printed("Stop with Ctrl+C.");
  return { ...running, url };
}

test("P2: what was accepted is done once after kill -9, also what only waited for its turn, and its end is told", async () => {
  await using receiver = await startReceiver();
  const config = file("agents.mjs", agents(`${receiver.origin}/ends`));
  const store = ["--store", join(folder(), "runs.db"), "--sessions", join(folder(), "sessions.db")];
  const first = await serving("--config", config, ...store);
  const send = (url: string, id: string) => fetch(`${url}/webhooks/shop`, signed({ id }, { id }));
  const ids: string[] = [];
  for (const id of ["msg_a", "msg_b", "msg_c"]) {
    ids.push((await jsonOf(await send(first.url, id))).runId);
  }
  await expect.poll(() => existsSync(join(folder(), "begun"))).toBe(true);
  first.child.kill("SIGKILL");
  await first.outcome;
  file("go", "");

  const second = await serving("--config", config, ...store);
  // The sender has had no answer, say, and delivers again.
  const again = await jsonOf(await send(second.url, "msg_b"));
  expect(again.runId).toBe(ids[1]);
  const statuses = async () =>
    Promise.all(
      ids.map(async (id) => (await jsonOf(await fetch(`${second.url}/runs/${id}`))).status),
    );
  await expect.poll(statuses, { timeout: 10_000 }).toEqual(Array(3).fill("completed"));
  expect((await jsonOf(await fetch(`${second.url}/runs`))).runs).toHaveLength(3);
  expect(readFileSync(join(folder(), "done"), "utf8")).toBe("xxx");
  const told = () =>
    new Set(receiver.requests.map(({ body }) => JSON.parse(body).data.runId as string));
  await expect.poll(told).toEqual(new Set(ids));
  second.child.kill("SIGTERM");
  expect((await second.outcome).code).toBe(0);
}, 60_000);

test("a JSON file says which webhooks are served", async () => {
  const config = file("agents.json", {
    agents: [
      { name: "front", model: "offline" },
      { name: "back", model: "offline" },
    ],
    webhooks: { shop: { agent: "back", secret: [webhookSecret], task: "Note it.", actor: "shop" } },
  });
  const { url, child, outcome } = await serving("--config", config);
  const { runId } = await jsonOf(await fetch(`${url}/webhooks/shop`, signed({ order: 7 })));
  expect(runId).toMatch(/^shop_/);
  const refused = await fetch(`${url}/webhooks/shop`, { ...signed({}), body: "{ }" });
  expect(refused.status).toBe(401);
  child.kill("SIGTERM");
  const { code, stdout, stderr } = await outcome;
  expect(code).toBe(0);
  expect(stdout).toContain(`POST ${url}/webhooks/shop`);
  expect(stderr).toContain("no signature in it is valid");
  expect(stdout + stderr).not.toContain(webhookSecret.slice(8));
}, 60_000);

const shop = { secret: webhookSecret };

test.each([
  ["no secret", { shop: {} }, /webhooks\.shop\.secret: It must be the secret/],
  [
    "a variable that is not set",
    { shop: { secret: `${"$"}{SHOP_SECRET}` } },
    /webhooks\.shop\.secret: .*SHOP_SECRET.*is not set/,
  ],
  ["a secret of no use", { shop: { secret: "short" } }, /webhooks\.shop\.secret: .*24 to 64/],
  [
    "an unknown sender",
    { shop: { ...shop, verify: "none" } },
    /webhooks\.shop\.verify: It must be one of standard, github/,
  ],
  ["an unknown key", { shop: { ...shop, tolerance: 1 } }, /webhooks\.shop\.tolerance: Unknown key/],
])(
  "a configuration whose webhook has %s is told with its place",
  async (_what, webhooks, message) => {
    const config = file("agents.json", { agents: [{ name: "front", model: "offline" }], webhooks });
    const { code, stderr } = await dragoman("serve", "--config", config);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  },
);

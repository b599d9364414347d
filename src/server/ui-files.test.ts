import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { refusalIn } from "../../test/ag-ui-client.ts";
import { agentOf, modelOf } from "../../test/agent-fixture.ts";
import { listening, statusOf } from "../../test/server-fixture.ts";
import { createServer } from "./create-server.ts";

const token = "a-token-that-nobody-guesses";

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "dragoman-ui-"));
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>Built</title>");
  writeFileSync(join(folder, "assets", "index-Ab1.js"), "console.log(1);");
  writeFileSync(join(folder, "assets", "secrets.json"), "{}");
  writeFileSync(join(folder, "key.js"), "hush");
});

afterAll(() => rmSync(folder, { recursive: true }));

const greeter = () => agentOf({ model: modelOf("Hello.") });

const withUi = () => listening(createServer({ agents: [greeter()], ui: { folder }, log: "none" }));

test("P1: the web UI is at /ui/, and the server's root leads there", async () => {
  await using server = await withUi();
  const response = await fetch(server.url);
  expect(response.url).toBe(`${server.url}/ui/`);
  expect(await response.text()).toContain("<title>Built</title>");
  expect(response.headers.get("cache-control")).toBe("no-cache");
  expect((await fetch(`${server.url}/ui`)).url).toBe(`${server.url}/ui/`);
});

test("P1: the page may load nothing from elsewhere, run no text, and stand in no other page", async () => {
  await using server = await withUi();
  const { headers } = await fetch(`${server.url}/ui/`);
  const policy = headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain("require-trusted-types-for 'script'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("x-frame-options")).toBe("DENY");
  expect(headers.get("referrer-policy")).toBe("no-referrer");
});

test("files with a digest in their name are kept for good, and nothing but the build's is served", async () => {
  await using server = await withUi();
  const script = await fetch(`${server.url}/ui/assets/index-Ab1.js`);
  expect(script.headers.get("cache-control")).toContain("immutable");
  expect(script.headers.get("content-type")).toContain("text/javascript");
  const others = ["gone.js", "secrets.json", "..%2Fkey.js", "..%5Ckey.js", ".%2E%2Fkey.js", ""];
  for (const name of others) {
    expect((await fetch(`${server.url}/ui/assets/${name}`)).status).toBe(404);
  }
});

test("P1: names that the server does not go by and pages of other sites get neither the UI nor what it asks for", async () => {
  await using server = await withUi();
  const evil = { host: "evil.example" };
  const elsewhere = { host: new URL(server.url).host, origin: "https://evil.example" };
  for (const path of ["/ui/", "/ui/assets/index-Ab1.js", "/server", "/agents/tester/definition"]) {
    expect(await statusOf(`${server.url}${path}`, evil)).toBe(403);
    expect(await statusOf(`${server.url}${path}`, elsewhere)).toBe(403);
  }
  const call = `${server.url}/agents/tester/tools/add/calls`;
  expect(await statusOf(call, elsewhere, "POST")).toBe(403);
});

test("P1: where others can reach the server there is no UI, unless it is wanted and there is auth", async () => {
  const agents = [greeter()];
  const open = createServer({ agents, ui: true, log: "none" });
  await expect(open.listen({ hostname: "0.0.0.0" })).rejects.toThrow(/Give createServer an auth/);
  await open.close();
  const statusesOf = async (ui: boolean | undefined): Promise<readonly number[]> => {
    const options = { agents, auth: { token }, log: "none", ...(ui === undefined ? {} : { ui }) };
    const server = createServer(options as Parameters<typeof createServer>[0]); // "none" is what it says
    const { port } = await server.listen({ hostname: "0.0.0.0" });
    const headers = { authorization: `Bearer ${token}` };
    const paths = ["/server", "/agents/tester/definition"];
    const responses = await Promise.all(
      paths.map((path) => fetch(`http://127.0.0.1:${port}${path}`, { headers })),
    );
    const page = await fetch(`http://127.0.0.1:${port}/ui/`, { headers });
    await server.close();
    return [...responses, page].map(({ status }) => (status === 503 ? 200 : status)); // it may not be built
  };
  expect(await statusesOf(undefined)).toEqual([404, 404, 404]);
  expect(await statusesOf(true)).toEqual([200, 200, 200]);
});

test("the UI can be left out, and is left out of a server that somebody else's router calls", async () => {
  await using server = await listening(
    createServer({ agents: [greeter()], ui: false, log: "none" }),
  );
  for (const path of ["/", "/ui/", "/ui/assets/index-Ab1.js", "/server"]) {
    expect(await refusalIn(await fetch(`${server.url}${path}`))).toEqual([404, "not-found"]);
  }
  const mounted = createServer({ agents: [greeter()], log: "none" });
  const headers = { host: "localhost" };
  for (const path of ["/ui/", "/server"]) {
    const request = new Request(`http://localhost${path}`, { headers });
    expect((await mounted.fetch(request)).status).toBe(404);
  }
});

test("the page is had without a token, since it holds nothing of anybody; what it shows is not", async () => {
  await using server = await listening(
    createServer({ agents: [greeter()], auth: { token }, ui: { folder }, log: "none" }),
  );
  expect((await fetch(`${server.url}/ui/`)).status).toBe(200);
  expect((await fetch(`${server.url}/ui/assets/index-Ab1.js`)).status).toBe(200);
  for (const path of ["/server", "/agents/tester/definition", "/agents", "/runs"]) {
    expect((await fetch(`${server.url}${path}`)).status).toBe(401);
  }
});

test("a UI that was not built says with which command it is", async () => {
  await using server = await listening(
    createServer({ agents: [greeter()], ui: { folder: join(folder, "gone") }, log: "none" }),
  );
  const response = await fetch(`${server.url}/ui/`);
  expect(response.status).toBe(503);
  expect(await response.text()).toContain("npm run build");
});

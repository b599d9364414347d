import { expect, test } from "vitest";
import { agentOf, collect, modelOf } from "../../test/agent-fixture.ts";
import { startHttp } from "../../test/loopback.ts";
import type { RunEvent } from "../agent/run-event.ts";
import type { HttpOptions } from "../http/http-options.ts";
import { catFacts, createCatFacts } from "./cat-facts.ts";

async function callCatFacts(
  baseUrl: string | undefined,
  more: HttpOptions = {},
): Promise<RunEvent | undefined> {
  const http = { instrumentor: () => {}, readTimeoutMs: 300, ...more };
  const tools = [createCatFacts({ ...(baseUrl && { baseUrl }), http })];
  const run = agentOf({ model: modelOf({ calls: [{ name: "cat_facts" }] }, "ok"), tools });
  const events = await collect(run.stream("Tell me of cats."));
  return events.find(({ kind }) => kind === "tool-end");
}

test("L-H20: cat_facts fetches a fact through the HTTP client", async () => {
  const asked: string[] = [];
  await using server = await startHttp(({ method, url, headers }, response) => {
    asked.push(`${method} ${url} ${headers["user-agent"]?.split("/")[0]}`);
    response.end('{"fact":"Cats sleep.","length":11}');
  });
  expect(await callCatFacts(server.origin)).toMatchObject({
    name: "cat_facts",
    result: { kind: "success", value: "Cats sleep." },
  });
  expect(asked).toEqual(["GET /fact Dragoman"]);
});

test.each([
  ["a status", 503, '{"message":"later"}', { code: "tool-http", data: { status: 503 } }],
  ["no JSON", 200, "<html>", { code: "tool-failed" }],
  ["no fact", 200, "{}", { code: "tool-failed" }],
])("L-H20: cat_facts lets %s rise as an error result", async (_name, status, body, error) => {
  await using server = await startHttp((_incoming, response) =>
    response.writeHead(status).end(body),
  );
  expect(await callCatFacts(server.origin)).toMatchObject({ result: { kind: "error", error } });
});

test("L-H20: cat_facts lets a timeout and a refused connection rise", async () => {
  await using server = await startHttp(() => {});
  expect(await callCatFacts(server.origin)).toMatchObject({
    result: { kind: "error", error: { code: "tool-timeout" } },
  });
  expect(await callCatFacts("http://127.0.0.1:1")).toMatchObject({
    result: { kind: "error", error: { code: "tool-network" } },
  });
});

test("L-H20: where nothing is said cat_facts asks catfact.ninja", async () => {
  const lookup: HttpOptions["lookup"] = (_name, _options, done) =>
    done(Object.assign(new Error("no network here"), { code: "ENOTFOUND" }), "");
  const message = expect.stringContaining("GET https://catfact.ninja/fact failed");
  expect(await callCatFacts(undefined, { lookup })).toMatchObject({
    result: { kind: "error", error: { code: "tool-network", message } },
  });
});

test("the tool with its defaults describes itself and takes nothing", () => {
  expect(catFacts).toMatchObject({
    name: "cat_facts",
    parameters: { type: "object", properties: {} },
  });
});

import { createDragoman, defineTool, type RunPage } from "dragoman";
import { McpClient } from "dragoman/mcp";
import { createServer } from "dragoman/server";
import { memoryRuns, memorySessions } from "dragoman/stores";
import { scriptedModel } from "dragoman/testing";

const refund = defineTool({
  name: "refund",
  description: "Refund an order.",
  inputSchema: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
  execute: (_input, { binding }) => `Refunded, says ${binding.run.actor}.`,
});
const call = { name: "refund", arguments: { order: "7" } };

// A scripted model stands for a real one, so that this example runs without a key.
const model = scriptedModel([{ text: "I ask first.", calls: [call] }, "It is done.", "Good day."]);

const dragoman = createDragoman({ sessions: memorySessions() });
const desk = dragoman.defineAgent({
  name: "desk",
  description: "Answers customers.",
  model,
  tools: [refund],
  approval: { tools: { refund: "ask" } },
});

const userOf = async (header: string | null): Promise<{ readonly id: string } | undefined> =>
  header === "Bearer token-of-ann" ? { id: "ann" } : undefined;

const server = createServer({
  agents: [desk],
  store: memoryRuns(), // sqliteRuns or postgresRuns, where runs are to outlive the process
  async auth(request) {
    const user = await userOf(request.headers.get("authorization"));
    return user === undefined ? null : { actor: user.id, context: { user } };
  },
  mcp: { name: "desk", tools: [refund] },
  log: "none",
});
const { url } = await server.listen({ port: 0 });

const headers = { authorization: "Bearer token-of-ann", "content-type": "application/json" };
const get = async (path: string) => (await fetch(`${url}${path}`, { headers })).json();

console.log((await fetch(`${url}/agents`)).status);
console.log(await get("/agents"));

// What an AG-UI client sends.
const messages = [{ id: "1", role: "user", content: "Refund order 7." }];
const body = JSON.stringify({ threadId: "thread-1", runId: "run-1", messages });
await (await fetch(`${url}/agents/desk/ag-ui`, { method: "POST", headers, body })).text();

const { runs } = (await get("/runs?status=suspended")) as RunPage;
const [run] = runs;
console.log(run?.waitingFor.map(({ id }) => id));
await fetch(`${url}/runs/${run?.id}/approve`, { method: "POST", headers });
const events = await fetch(`${url}/runs/${run?.id}/events`, {
  headers: { ...headers, accept: "text/event-stream" },
});
console.log(
  /"kind":"run-end","status":"(\w+)","text":"([^"]*)"/.exec(await events.text())?.slice(1),
);

await using client = new McpClient({
  name: "desk",
  transport: {
    type: "streamable-http",
    url: `${url}/mcp`,
    token: "token-of-ann",
    allowInsecureHttp: true,
  },
});
await client.connect();
console.log((await client.listTools()).map(({ sourceName }) => sourceName));
const answer = await client.callTool("ask_desk", { message: "Hello", session: "thread-2" });
console.log(answer.structuredContent);
await client.disconnect();

await server.close();

import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDragoman, type Scorer } from "dragoman";
import { mcpToolset } from "dragoman/mcp";

const memoryFile = join(tmpdir(), `memory-${process.pid}.json`);
const memoryServer = {
  type: "stdio",
  command: "npx",
  args: ["@modelcontextprotocol/server-memory"],
  env: { MEMORY_FILE_PATH: memoryFile },
} as const;

const files = mcpToolset({
  name: "files",
  description: "Read, list and search files and folders on this computer",
  transport: {
    type: "stdio",
    command: "npx",
    args: ["@modelcontextprotocol/server-filesystem", "docs"],
  },
});
const memory = mcpToolset({
  name: "memory",
  description: "Remember facts: entities, what was observed of them, and how they relate",
  transport: memoryServer,
});

const { defineAgent } = createDragoman();
const agent = defineAgent({
  name: "assistant",
  model: "offline",
  mcp: [files, memory],
  discovery: { servers: true, tools: { limit: 5 } },
  serverWaitMs: 20_000,
});

async function show(message: string): Promise<void> {
  const run = agent.stream(message);
  for await (const event of run) {
    if (event.kind === "server-connect") {
      console.log("connected", event.server);
    }
    if (event.kind === "discovery-end" && event.of === "servers") {
      console.log(event.reason, event.servers);
    }
    if (event.kind === "discovery-end" && event.of === "tools") {
      console.log(event.reason, event.tools.map(({ name }) => name).join(" "));
    }
  }
  console.log((await run.result).text);
}
await show("List the folder docs, path: .");
await show("Create an entity Ada of type person");

/** Takes the place of a service: it counts letters. */
async function embed(texts: readonly string[]): Promise<readonly (readonly number[])[]> {
  return texts.map((text) =>
    [..."abcdefghijklmnopqrstuvwxyz"].map((letter) => text.split(letter).length - 1),
  );
}

const vectors = new WeakMap<object, readonly number[]>();

const embeddings: Scorer = {
  name: "embeddings",
  threshold: 0.3,
  async score(message, documents, { signal }) {
    const fresh = documents.filter((document) => !vectors.has(document));
    const texts = fresh.map(({ name, description }) => `${name}: ${description}`);
    const [wanted = [], ...made] = await embed([message, ...texts]);
    signal.throwIfAborted();
    for (const [index, document] of fresh.entries()) {
      vectors.set(document, made[index] ?? []);
    }
    return documents.map((document) => cosine(wanted, vectors.get(document) ?? []));
  },
};

function cosine(left: readonly number[], right: readonly number[]): number {
  const product = (one: readonly number[], other: readonly number[]): number =>
    one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);
  return product(left, right) / Math.sqrt(product(left, left) * product(right, right) || 1);
}

const answer = await agent.ask("Which folders are in docs?", {
  discovery: { servers: { scorer: embeddings }, tools: { limit: 5, scorer: embeddings } },
});
console.log(answer.status);
await rm(memoryFile, { force: true });

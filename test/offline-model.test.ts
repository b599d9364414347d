import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { JsonObject } from "../src/base/json.ts";
import type { ResultContent, ToolCallPart, ToolResultPart } from "../src/message/content.ts";
import type { Message } from "../src/message/message.ts";
import type { ToolDefinition } from "../src/model/model.ts";
import { offlineModel } from "../src/models/offline/offline-model.ts";
import { offlineTable } from "./offline-table.ts";

const modules = join(import.meta.dirname, "../node_modules/@modelcontextprotocol");
const folder = mkdtempSync(join(tmpdir(), "offline-"));
const root = join(folder, "files");
const clients: Client[] = [];
const tools: ToolDefinition[] = [];
const owners = new Map<string, Client>();

beforeAll(async () => {
  for (const path of ["docs", "notes", "archive"]) {
    mkdirSync(join(root, path), { recursive: true });
  }
  writeFileSync(join(root, "README.md"), "# Hello\n");
  writeFileSync(join(root, "log.txt"), "one\ntwo\nthree\nfour");
  writeFileSync(join(root, "config.json"), '{"colour":"red"}\n');
  writeFileSync(join(root, "old.txt"), "old\n");
  writeFileSync(join(root, "docs/guide.md"), "The guide.\n");
  writeFileSync(join(root, "docs/setup.md"), "The setup.\n");
  writeFileSync(join(root, "notes/todo.txt"), "buy milk\ncall Bob\n");
  const env = { MEMORY_FILE_PATH: join(folder, "memory.json") };
  await connect([`${modules}/server-filesystem/dist/index.js`, root], env);
  await connect([`${modules}/server-memory/dist/index.js`], env);
  await connect([`${modules}/server-everything/dist/index.js`, "stdio"], env);
}, 60_000);

afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  rmSync(folder, { recursive: true });
});

test.each(offlineTable)("$message", async ({ message, calls, says }) => {
  const { made, text } = await ask(message);
  const expected = calls.map(([name, given = {}]) => [name, place(given)]);
  // A folder may be the server's own, so a look at that one may come before any other call.
  const looks = calls.some(([name]) => name === lookAtRoots) ? [] : [lookAtRoots];
  const counted = made.filter(({ name }) => !looks.includes(name));
  expect(counted.map((call) => [call.name, call.arguments])).toEqual(expected);
  expect(text).toContain(says);
});

const lookAtRoots = "list_allowed_directories";

const place = (given: JsonObject): JsonObject =>
  JSON.parse(JSON.stringify(given).replaceAll("ROOT", root));

/** A loop just large enough to drive the model against the servers. */
async function ask(message: string): Promise<{ made: ToolCallPart[]; text: string }> {
  const model = offlineModel();
  const messages: Message[] = [{ role: "user", content: [{ kind: "text", text: message }] }];
  const made: ToolCallPart[] = [];
  for (let step = 0; step < 10; step += 1) {
    const calls: ToolCallPart[] = [];
    let name = "";
    let text = "";
    const { signal } = new AbortController();
    for await (const event of model.stream({ messages, tools }, { signal })) {
      if (event.kind === "tool-call-start") {
        name = event.name;
      } else if (event.kind === "tool-call-delta") {
        calls.push({
          kind: "tool-call",
          id: event.id,
          name,
          arguments: JSON.parse(event.text),
        });
      } else if (event.kind === "text-delta") {
        text += event.text;
      }
    }
    if (calls.length === 0) {
      return { made, text };
    }
    made.push(...calls);
    messages.push({ role: "assistant", content: calls });
    messages.push({ role: "tool", content: await Promise.all(calls.map(execute)) });
  }
  throw new Error(`The model does not stop calling tools: ${JSON.stringify(made)}`);
}

async function execute({ id, name, arguments: given }: ToolCallPart): Promise<ToolResultPart> {
  const result = await owners.get(name)?.callTool({ name, arguments: given });
  const content = (result?.content ?? []).flatMap((part): readonly ResultContent[] =>
    part.type === "text"
      ? [{ kind: "text", text: part.text }]
      : part.type === "image"
        ? [
            {
              kind: "image",
              mediaType: part.mimeType,
              source: { kind: "data", base64: part.data },
            },
          ]
        : [{ kind: "text", text: JSON.stringify(part) }],
  );
  return { kind: "tool-result", id, name, isError: result?.isError === true, content };
}

async function connect(args: string[], env: Record<string, string>): Promise<void> {
  const client = new Client({ name: "offline-model-test", version: "1" });
  clients.push(client);
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, env, stderr: "ignore" }),
  );
  for (const { name, description = "", inputSchema } of (await client.listTools()).tools) {
    tools.push({ name, description, inputSchema });
    owners.set(name, client);
  }
}

/**
 * The host of our client in the official conformance suite: `node client.ts URL`, started by the suite
 * once for each scenario. Everything that MCP asks of a client is done by the public `McpClient`; here
 * stands only what an application decides (which tools to call, what a user answers), and by name what
 * single mocks of the suite need.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../src/base/json.ts";
import { McpClient, type McpClientOptions } from "../../src/mcp/index.ts";
import { accessFor } from "./access.ts";
import { withRightIssuer } from "./right-issuer.ts";

const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const runner = process.env["DRAGOMAN_CONFORMANCE_RUNNER"];
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as JsonObject;

/** Forty clients start at once, on whatever machine this is. */
const timeoutMs = 120_000;

/** A user who agrees and leaves every field as it is, a model that says yes, and one folder. */
const application: McpClientOptions = {
  onElicitation: () => ({ action: "accept", content: {} }),
  onSampling: () => ({
    role: "assistant",
    content: { type: "text", text: "yes" },
    model: "none",
  }),
  roots: [{ uri: "file:///tmp", name: "tmp" }],
};

/** What an application does that has connected. */
type Story = (client: McpClient) => Promise<void>;

/** Calls every tool that is published, with nothing. */
const callAll: Story = async (client) => {
  for (const { sourceName } of await client.listTools()) {
    await client.callTool(sourceName, {});
  }
};

const stories: Readonly<Record<string, Story>> = {
  initialize: async (client) => void (await client.listTools()),
  tools_call: async (client) => {
    await client.listTools();
    await client.callTool("add_numbers", { a: 5, b: 3 });
  },
  "http-standard-headers": async (client) => {
    await callAll(client);
    for (const { uri } of await client.listResources()) {
      await client.readResource(uri);
    }
    for (const { name } of await client.listPrompts()) {
      await client.getPrompt(name);
    }
  },
  "http-custom-headers": async (client) => {
    await client.listTools();
    for (const call of context["toolCalls"] as { name: string; arguments: JsonObject }[]) {
      await client.callTool(call.name, call.arguments);
    }
  },
  "http-invalid-tool-headers": async (client) => {
    for (const { sourceName } of await client.listTools()) {
      await client.callTool(sourceName, { region: "us", value: "x" });
    }
  },
  "sep-2322-client-request-state": async (client) => {
    await client.listTools();
    await Promise.all([
      client.callTool("test_mrtr_echo_state", {}),
      client.callTool("test_mrtr_unrelated", {}),
    ]);
    await client.callTool("test_mrtr_no_state", {});
    await client.callTool("test_mrtr_no_result_type", {});
  },
  "json-schema-ref-no-deref": async (client) => void (await client.listTools()),
  "json-schema-2020-12-preservation": async (client) => {
    const tools = await client.listTools();
    const focal = tools.find(({ sourceName }) => sourceName === "json_schema_2020_12_tool");
    await client.callTool("json_schema_echo", { schema: focal?.inputSchema as JsonObject });
  },
};

/** Scenarios of extensions that we do not have: there is nothing to run. */
const notApplicable = /^sep-2640-/;

async function run(given: string): Promise<void> {
  if (notApplicable.test(scenario)) {
    throw new Error("not applicable: there is no support for skills");
  }
  const isWrong = runner === "0.1.16" && scenario === "auth/2025-03-26-oauth-metadata-backcompat";
  const between = isWrong ? await withRightIssuer(given) : undefined;
  const url = between?.url ?? given;
  const access = scenario.startsWith("auth/") ? { auth: accessFor(scenario, context) } : {};
  const transport = { type: "streamable-http", url, allowInsecureHttp: true, ...access } as const;
  try {
    await using client = new McpClient({ name: scenario, transport, timeoutMs }, application);
    await client.connect();
    await (stories[scenario] ?? callAll)(client);
  } finally {
    between?.server.close();
    between?.server.closeAllConnections();
  }
}

/** The suite takes a client that was killed for one that ended well: the gate asks us. */
function leaveWord(exitCode: number): void {
  const folder = process.env["DRAGOMAN_CONFORMANCE_EXITS"];
  if (folder !== undefined) {
    writeFileSync(join(folder, scenario.replaceAll("/", "_")), String(exitCode));
  }
}

try {
  await run(process.argv.at(-1) ?? "");
  leaveWord(0);
} catch (error) {
  console.error(error);
  process.exitCode = notApplicable.test(scenario) ? 2 : 1;
  leaveWord(process.exitCode);
}

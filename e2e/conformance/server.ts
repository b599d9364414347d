/**
 * Our MCP server as the official conformance suite wants to meet it: with tools of its names. Started by
 * the test; prints its address. Tools are the application's; all else is what `createServer` does.
 */
import { createDragoman, defineTool, type ToolResult, toolSuccess } from "../../src/index.ts";
import { createServer } from "../../src/server/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";

/** The smallest picture and sound. */
const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const wav = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

const image = {
  kind: "image",
  mediaType: "image/png",
  source: { kind: "data", base64: png },
} as const;
const audio = {
  kind: "audio",
  mediaType: "audio/wav",
  source: { kind: "data", base64: wav },
} as const;
const file = {
  kind: "file",
  mediaType: "text/plain",
  name: "embedded.txt",
  source: { kind: "data", base64: Buffer.from("This is an embedded resource.").toString("base64") },
} as const;
const text = { kind: "text", text: "This is a simple text response for testing." } as const;

const giving = (name: string, content: Parameters<typeof toolSuccess>[1]) =>
  defineTool({
    name,
    description: `Gives what the suite wants of ${name}.`,
    inputSchema: { type: "object" },
    execute: (): ToolResult => toolSuccess(null, content),
  });

const tools = [
  giving("test_simple_text", { content: [text] }),
  giving("test_image_content", { content: [image] }),
  giving("test_audio_content", { content: [audio] }),
  giving("test_embedded_resource", { content: [file] }),
  giving("test_multiple_content_types", { content: [text, image, file] }),
  defineTool({
    name: "test_error_handling",
    description: "Fails.",
    inputSchema: { type: "object" },
    execute: () => {
      throw new Error("This tool intentionally returns an error for testing");
    },
  }),
  defineTool({
    name: "test_tool_with_progress",
    description: "Tells how far it has come.",
    inputSchema: { type: "object" },
    execute: (_, { progress }) => {
      for (const done of [0, 50, 100]) {
        progress({ progress: done, total: 100 });
      }
      return "done";
    },
  }),
  defineTool({
    name: "json_schema_2020_12_tool",
    description: "Has a schema of JSON Schema 2020-12.",
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
    execute: (input) => JSON.stringify(input),
  }),
];

const agent = createDragoman({ env: {} }).defineAgent({
  name: "tester",
  model: scriptedModel(["Hello."]),
});
const server = createServer({ agents: [agent], mcp: { tools }, log: "none" });
const { url } = await server.listen();
process.stdout.write(`${url}\n`);
process.once("SIGTERM", () => void server.close({ graceMs: 0 }));

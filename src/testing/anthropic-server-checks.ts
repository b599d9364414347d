import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import { aboutParameters, isToolName } from "./function-tool-checks.ts";

/** What Anthropic would refuse in a messages request, if anything. */
export function complaintAbout(body: Json | undefined, path: string): string | undefined {
  if (!/^\/v1\/messages(?:\?|$)/.test(path)) {
    return `there is nothing at ${path}`;
  }
  if (!isJsonObject(body) || typeof body["model"] !== "string") {
    return "model: Field required";
  }
  const unknown = Object.keys(body).find((field) => !fields.has(field));
  if (unknown !== undefined) {
    return `${unknown}: Extra inputs are not permitted`;
  }
  const { messages } = body;
  if (typeof body["max_tokens"] !== "number") {
    return "max_tokens: Field required";
  }
  if (!Array.isArray(messages) || messages.length === 0 || !messages.every(isJsonObject)) {
    return "messages: at least one message is required";
  }
  return (
    aboutConversation(messages) ?? aboutTools(body) ?? aboutThinking(body) ?? aboutOutput(body)
  );
}

const fields = new Set([
  ...["model", "max_tokens", "system", "messages", "stream", "temperature", "thinking", "tools"],
  ...["output_config", "tool_choice", "cache_control", "metadata", "stop_sequences", "top_p"],
  ...["top_k", "service_tier", "mcp_servers", "context_management"],
]);

const blocksIn = ({ content }: JsonObject): readonly JsonObject[] =>
  typeof content === "string"
    ? [{ type: "text", text: content }]
    : Array.isArray(content)
      ? content.filter(isJsonObject)
      : [];

/** Each call has one result in the next message, before anything else there. */
function aboutConversation(messages: readonly JsonObject[]): string | undefined {
  let open: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    const blocks = blocksIn(message);
    const complaint = aboutBlocks(message, blocks, index) ?? aboutResults(blocks, open, index);
    if (complaint !== undefined) {
      return complaint;
    }
    open = idsOf(blocks, "tool_use", "id");
  }
  return open.length === 0
    ? undefined
    : `messages: the calls ${open.join(", ")} have no result: tool_use ids were found without tool_result blocks immediately after`;
}

const idsOf = (blocks: readonly JsonObject[], type: string, field: string): readonly string[] =>
  blocks.filter((block) => block["type"] === type).map((block) => `${block[field]}`);

function aboutResults(
  blocks: readonly JsonObject[],
  open: readonly string[],
  index: number,
): string | undefined {
  const results = idsOf(blocks, "tool_result", "tool_use_id");
  const stray = results.find((id) => !open.includes(id));
  if (stray !== undefined) {
    return `messages.${index}: unexpected tool_use_id found in tool_result blocks: ${stray}`;
  }
  const missing = open.filter((id) => !results.includes(id));
  if (missing.length > 0) {
    return `messages.${index}: the calls ${missing.join(", ")} have no result: tool_use ids were found without tool_result blocks immediately after`;
  }
  const leading = blocks.slice(0, results.length);
  return leading.every(({ type }) => type === "tool_result")
    ? undefined
    : `messages.${index}: tool_result blocks must come first`;
}

function aboutBlocks(
  { role }: JsonObject,
  blocks: readonly JsonObject[],
  index: number,
): string | undefined {
  if ((role !== "user" && role !== "assistant") || blocks.length === 0) {
    return `messages.${index}: must have the role user or assistant, and non-empty content`;
  }
  return blocks
    .map((block) => aboutBlock(block, `${role}`))
    .map((complaint) => complaint && `messages.${index}.content: ${complaint}`)
    .find((complaint) => complaint !== undefined);
}

const typesOf: Readonly<Record<string, readonly string[]>> = {
  user: ["text", "image", "document", "tool_result"],
  assistant: ["text", "thinking", "redacted_thinking", "tool_use"],
};

function aboutBlock(block: JsonObject, role: string): string | undefined {
  const { type, text, signature, source, content } = block;
  if (!typesOf[role]?.includes(`${type}`)) {
    return `the type ${JSON.stringify(type)} is not one of a message of the ${role}`;
  }
  switch (type) {
    case "text":
      return aboutText(text);
    case "thinking":
      return typeof signature === "string" && signature !== ""
        ? undefined
        : "thinking.signature: Field required";
    case "image":
      return aboutImage(source);
    case "tool_use":
      return aboutToolUse(block);
    case "tool_result":
      return Array.isArray(content)
        ? content
            .map((inner) => (isJsonObject(inner) ? aboutBlock(inner, "user") : "no block"))
            .find((complaint) => complaint !== undefined)
        : undefined;
    default:
      return undefined;
  }
}

function aboutText(text: Json | undefined): string | undefined {
  if (typeof text !== "string" || text.trim() === "") {
    return "text content blocks must contain non-whitespace text";
  }
  return /[A-Za-z0-9+/]{2000}/.test(text) ? "base64 as text" : undefined;
}

function aboutImage(source: Json | undefined): string | undefined {
  const { type, media_type: mediaType, data, url } = isJsonObject(source) ? source : {};
  const isData =
    type === "base64" && /^image\/(?:jpeg|png|gif|webp)$/.test(`${mediaType}`) && Boolean(data);
  return isData || (type === "url" && typeof url === "string")
    ? undefined
    : "image.source: invalid";
}

function aboutToolUse({ id, name, input }: JsonObject): string | undefined {
  if (typeof id !== "string" || !/^[a-zA-Z0-9_-]+$/.test(id)) {
    return "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'";
  }
  return isToolName(name) && isJsonObject(input)
    ? undefined
    : "tool_use.input: Input should be a valid dictionary";
}

function aboutTools({ tools, tool_choice: choice }: JsonObject): string | undefined {
  if (tools === undefined) {
    return choice === undefined ? undefined : "tool_choice may only be specified with tools";
  }
  const list = Array.isArray(tools) ? tools.filter(isJsonObject) : [];
  const names = list.map(({ name }) => name);
  if (list.length === 0 || !names.every(isToolName) || new Set(names).size < names.length) {
    return `tools: ${JSON.stringify(names)} are no names of their own`;
  }
  return list
    .map(({ input_schema: schema }) => aboutParameters(schema) ?? aboutNames(schema))
    .find((complaint) => complaint !== undefined);
}

function aboutNames(schema: Json | undefined): string | undefined {
  const properties = isJsonObject(schema) ? schema["properties"] : undefined;
  const names = Object.keys(isJsonObject(properties) ? properties : {});
  return names.every((name) => /^[a-zA-Z0-9_.-]{1,64}$/.test(name))
    ? undefined
    : "tools.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'";
}

function aboutThinking(body: JsonObject): string | undefined {
  const { thinking, temperature, max_tokens: most, tool_choice: choice } = body;
  const { type, budget_tokens: budget } = isJsonObject(thinking) ? thinking : {};
  if (thinking === undefined || type === "disabled") {
    return undefined;
  }
  if (temperature !== undefined && temperature !== 1) {
    return "temperature may only be set to 1 when thinking is enabled";
  }
  if (isJsonObject(choice) && (choice["type"] === "any" || choice["type"] === "tool")) {
    return "Thinking may not be enabled when tool_choice forces tool use.";
  }
  const isFit = type !== "enabled" || (Number(budget) >= 1_024 && Number(budget) < Number(most));
  return isFit ? undefined : "max_tokens must be greater than thinking.budget_tokens";
}

const refused = ["minimum", "maximum", "minLength", "maxLength", "maxItems", "oneOf", "$schema"];

function aboutOutput({ output_config: config }: JsonObject): string | undefined {
  const format = isJsonObject(config) ? config["format"] : undefined;
  return isJsonObject(format) ? aboutOutputSchema(format["schema"]) : undefined;
}

function aboutOutputSchema(schema: Json | undefined): string | undefined {
  if (Array.isArray(schema)) {
    return schema.map(aboutOutputSchema).find((complaint) => complaint !== undefined);
  }
  if (!isJsonObject(schema)) {
    return undefined;
  }
  if (schema["type"] === "object" && schema["additionalProperties"] !== false) {
    return "output_config.format.schema: 'additionalProperties' must be explicitly set to false";
  }
  const keyword = refused.find((name) => ["number", "string"].includes(typeof schema[name]));
  return keyword === undefined
    ? Object.values(schema)
        .map(aboutOutputSchema)
        .find((complaint) => complaint !== undefined)
    : `output_config.format.schema: '${keyword}' is not supported`;
}

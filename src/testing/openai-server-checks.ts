import { isJsonObject, type Json, type JsonObject, parseJson } from "../base/json.ts";

/** What a strict provider would refuse in the body of a chat-completions request, if anything. */
export function complaintAbout(body: Json | undefined): string | undefined {
  if (!isJsonObject(body) || typeof body["model"] !== "string") {
    return "the body is no JSON object with a model";
  }
  const messages = body["messages"];
  if (!Array.isArray(messages) || messages.length === 0 || !messages.every(isJsonObject)) {
    return "messages is no list of messages";
  }
  if (body["stream"] !== true && body["stream_options"] !== undefined) {
    return "stream_options is only allowed with stream";
  }
  return aboutConversation(messages) ?? aboutTools(body);
}

/** Each call has one result, right after the message that asks for it, and valid arguments. */
function aboutConversation(messages: readonly JsonObject[]): string | undefined {
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    if (message["role"] === "tool") {
      const id = message["tool_call_id"];
      if (typeof id !== "string" || !open.includes(id)) {
        return `messages[${index}] answers the call ${JSON.stringify(id)}, which nobody has made`;
      }
      open = open.filter((other) => other !== id);
    } else if (open.length > 0) {
      return `the calls ${open.join(", ")} have no result before messages[${index}]`;
    }
    const complaint = aboutMessage(message, index);
    if (complaint !== undefined) {
      return complaint;
    }
    open = [...open, ...callsIn(message).map(({ id }) => `${id}`)];
  }
  return open.length === 0 ? undefined : `the calls ${open.join(", ")} have no result`;
}

function aboutMessage(message: JsonObject, index: number): string | undefined {
  const { role, content } = message;
  if (!["system", "developer", "user", "assistant", "tool"].includes(`${role}`)) {
    return `messages[${index}] has the role ${JSON.stringify(role)}`;
  }
  const calls = callsIn(message);
  const isList = role === "user" && Array.isArray(content) && content.length > 0;
  const isNull = role === "assistant" && content === null && calls.length > 0;
  if (typeof content !== "string" && !isList && !isNull) {
    return `messages[${index}] has the content ${JSON.stringify(content)}`;
  }
  if (typeof content === "string" && /[A-Za-z0-9+/]{2000}/.test(content)) {
    return `messages[${index}] holds base64 as text`;
  }
  const bad = calls.find((call) => !isCall(call));
  return bad && `messages[${index}] holds the tool call ${JSON.stringify(bad)}`;
}

const callsIn = (message: JsonObject): readonly JsonObject[] =>
  Array.isArray(message["tool_calls"]) ? message["tool_calls"].filter(isJsonObject) : [];

function isCall({ id, type, function: called }: JsonObject): boolean {
  const { name, arguments: given } = isJsonObject(called) ? called : {};
  return (
    typeof id === "string" &&
    id !== "" &&
    type === "function" &&
    isName(name) &&
    typeof given === "string" &&
    isJsonObject(parseJson(given))
  );
}

const isName = (name: Json | undefined): name is string =>
  typeof name === "string" && /^[A-Za-z0-9_-]{1,64}$/.test(name);

function aboutTools({ tools, tool_choice: choice }: JsonObject): string | undefined {
  if (tools === undefined) {
    return choice === undefined ? undefined : "tool_choice is only allowed with tools";
  }
  if (!Array.isArray(tools) || tools.length === 0) {
    return "tools is no list, or empty";
  }
  const names = new Set<string>();
  return tools.map((tool) => aboutTool(tool, names)).find((complaint) => complaint !== undefined);
}

function aboutTool(tool: Json, names: Set<string>): string | undefined {
  const called = isJsonObject(tool) && tool["type"] === "function" ? tool["function"] : undefined;
  const { name, parameters } = isJsonObject(called) ? called : {};
  if (!isName(name) || names.has(name)) {
    return `the tool ${JSON.stringify(name)} has no valid name of its own`;
  }
  names.add(name);
  const complaint = aboutParameters(parameters);
  return complaint && `Invalid schema for function '${name}': ${complaint}`;
}

const refusedAtRoot = ["oneOf", "anyOf", "allOf", "enum", "const", "not", "$ref"];

function aboutParameters(parameters: Json | undefined): string | undefined {
  if (!isJsonObject(parameters) || parameters["type"] !== "object") {
    return "it is not of type object";
  }
  if (!isJsonObject(parameters["properties"])) {
    return "object schema missing properties";
  }
  const combinator = refusedAtRoot.find((keyword) => parameters[keyword] !== undefined);
  return combinator === undefined
    ? aboutSchema(parameters)
    : `it has '${combinator}' at the top level`;
}

/** Schemas at any depth: keywords that hold data are few enough to be taken for schemas here. */
function aboutSchema(schema: Json | undefined): string | undefined {
  if (Array.isArray(schema)) {
    return schema.map(aboutSchema).find((complaint) => complaint !== undefined);
  }
  if (!isJsonObject(schema)) {
    return undefined;
  }
  const { type, items } = schema;
  if (
    (type === "array" || (Array.isArray(type) && type.includes("array"))) &&
    !isJsonObject(items)
  ) {
    return "array schema missing items";
  }
  if (typeof schema["$schema"] === "string") {
    return "$schema is not permitted";
  }
  return Object.values(schema)
    .map(aboutSchema)
    .find((complaint) => complaint !== undefined);
}

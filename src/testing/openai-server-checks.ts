import { isJsonObject, type Json, type JsonObject, parseJson } from "../base/json.ts";
import {
  aboutClosed,
  aboutFunctionTools,
  aboutParameters,
  isToolName,
} from "./function-tool-checks.ts";

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
  return aboutConversation(messages) ?? aboutTools(body) ?? aboutFormat(body);
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
    isToolName(name) &&
    typeof given === "string" &&
    isJsonObject(parseJson(given))
  );
}

function aboutTools({ tools, tool_choice: choice }: JsonObject): string | undefined {
  return tools === undefined && choice !== undefined
    ? "tool_choice is only allowed with tools"
    : aboutFunctionTools(tools);
}

function aboutFormat({ response_format: format }: JsonObject): string | undefined {
  const given = isJsonObject(format) ? format["json_schema"] : undefined;
  if (!isJsonObject(given)) {
    return undefined;
  }
  const { name, schema, strict } = given;
  const complaint = aboutParameters(schema) ?? (strict === true ? aboutClosed(schema) : undefined);
  return complaint && `Invalid schema for response_format '${name}': ${complaint}`;
}

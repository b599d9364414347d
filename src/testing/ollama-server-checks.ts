import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import { aboutFunctionTools } from "./function-tool-checks.ts";

/** What is wrong with a request to Ollama's `/api/chat`, if anything. */
export function complaintAbout(body: Json | undefined, path: string): string | undefined {
  if (path !== "/api/chat") {
    return `there is nothing at ${path}`;
  }
  if (!isJsonObject(body) || typeof body["model"] !== "string") {
    return "model is required";
  }
  const { messages, format, tools, think } = body;
  if (!Array.isArray(messages) || messages.length === 0 || !messages.every(isJsonObject)) {
    return "messages is no list of messages";
  }
  if (format !== undefined && format !== "json" && !isJsonObject(format)) {
    return 'invalid format: expected "json" or a JSON schema';
  }
  if (think !== undefined && ![true, false, "high", "medium", "low"].includes(think as boolean)) {
    return "invalid think value"; // includes takes no wider type, but compares any
  }
  return aboutConversation(messages) ?? aboutFunctionTools(tools);
}

/** Each call has one result, in order, right after the message that asks for it. */
function aboutConversation(messages: readonly JsonObject[]): string | undefined {
  let open: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    const complaint = aboutMessage(message, index);
    if (complaint !== undefined) {
      return complaint;
    }
    if (message["role"] === "tool") {
      const [first, ...others] = open;
      if (message["tool_name"] !== first) {
        return `messages[${index}] answers the tool ${JSON.stringify(message["tool_name"])}, which nobody has called`;
      }
      open = others;
    } else if (open.length > 0) {
      return `the calls ${open.join(", ")} have no result before messages[${index}]`;
    } else {
      open = calledIn(message).map(({ name }) => `${name}`);
    }
  }
  return open.length === 0 ? undefined : `the calls ${open.join(", ")} have no result`;
}

const calledIn = ({ tool_calls: calls }: JsonObject): readonly JsonObject[] =>
  (Array.isArray(calls) ? calls : []).map((call) =>
    isJsonObject(call) && isJsonObject(call["function"]) ? call["function"] : {},
  );

function aboutMessage(message: JsonObject, index: number): string | undefined {
  const { role, content, images } = message;
  if (!["system", "user", "assistant", "tool"].includes(`${role}`) || typeof content !== "string") {
    return `messages[${index}] has the role ${JSON.stringify(role)} and the content ${JSON.stringify(content)}`;
  }
  if (/[A-Za-z0-9+/]{2000}/.test(content)) {
    return `messages[${index}] holds base64 as text`;
  }
  const isPicture = (image: Json): boolean =>
    typeof image === "string" && /^[A-Za-z0-9+/]+=*$/.test(image);
  if (images !== undefined && !(Array.isArray(images) && images.every(isPicture))) {
    return `messages[${index}]: illegal base64 data in images`;
  }
  const bad = calledIn(message).find(
    ({ name, arguments: args }) => typeof name !== "string" || !isJsonObject(args),
  );
  return bad && `messages[${index}] holds the tool call ${JSON.stringify(bad)}`;
}

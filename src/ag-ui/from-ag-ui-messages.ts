import type {
  MediaPart,
  MediaSource,
  ToolCallPart,
  ToolResultPart,
  UserContent,
} from "../message/content.ts";
import type { AssistantMessage, Message } from "../message/message.ts";
import { parseArguments } from "../tool/tool-arguments.ts";
import { invalidInput } from "./refusal.ts";
import type { InputContent, InputMessage } from "./run-agent-input.ts";

/**
 * A client's messages as a history. Instructions are the application's alone, so that system and
 * developer messages are left out; reasoning, activities and the work of subagents are no part of the
 * conversation. A message that comes twice counts once.
 */
export function fromAgUiMessages(messages: readonly InputMessage[]): readonly Message[] {
  const history: Message[] = [];
  const toolNames = new Map<string, string>();
  const seen = new Set<string>();
  for (const message of messages) {
    if (seen.has(message.id) || message.subagentRunId !== undefined) {
      continue;
    }
    seen.add(message.id);
    if (message.role === "user") {
      history.push({ role: "user", content: fromContent(message.content) });
    } else if (message.role === "assistant") {
      const said = fromAssistant(message);
      said.content.forEach((part) => {
        if (part.kind === "tool-call") {
          toolNames.set(part.id, part.name);
        }
      });
      history.push(said);
    } else if (message.role === "tool") {
      addResult(history, toToolResult(message, toolNames.get(message.toolCallId) ?? ""));
    }
  }
  return history;
}

/**
 * What a user says, as content.
 *
 * @throws Refusal 400 for a medium that is neither sent along nor behind a web address.
 */
export function fromContent(content: InputContent): readonly UserContent[] {
  if (typeof content === "string") {
    return [{ kind: "text", text: content }];
  }
  return content.map((part): UserContent => {
    if (part.type === "text") {
      return { kind: "text", text: part.text };
    }
    if (part.type === "binary") {
      const { mimeType: mediaType, data, url, filename } = part;
      const name = filename === undefined ? {} : { name: filename };
      return { kind: kindOf(mediaType), mediaType, source: sourceOf(data, url), ...name };
    }
    const { source, type } = part;
    const mediaType = source.mimeType ?? defaultMediaTypes[type];
    const kind = type === "image" || type === "audio" ? type : "file";
    const isData = source.type === "data";
    const url = source.type === "url" ? source.value : undefined;
    return { kind, mediaType, source: sourceOf(isData ? source.value : undefined, url) };
  });
}

/** A provider's file id, or the address of a file on our disk, is nothing that a caller may name. */
function sourceOf(base64: string | undefined, url: string | undefined): MediaSource {
  if (base64 !== undefined) {
    return { kind: "data", base64 };
  }
  if (url === undefined || !/^(https?|data):/i.test(url)) {
    const message = "A medium must be sent along, or have an https:, http: or data: address.";
    throw invalidInput(message);
  }
  return { kind: "url", url };
}

/** A result that a client gives for a call of one of its tools. */
function toToolResult(
  { toolCallId, content, error }: Extract<InputMessage, { readonly role: "tool" }>,
  name: string,
): ToolResultPart {
  return {
    kind: "tool-result",
    id: toolCallId,
    name,
    isError: error !== undefined,
    content: fromContent(content),
  };
}

const defaultMediaTypes = {
  image: "image/png",
  audio: "audio/mpeg",
  video: "video/mp4",
  document: "application/octet-stream",
} as const;

const kindOf = (mediaType: string): MediaPart["kind"] =>
  mediaType.startsWith("image/") ? "image" : mediaType.startsWith("audio/") ? "audio" : "file";

function fromAssistant({
  content,
  toolCalls = [],
}: Extract<InputMessage, { readonly role: "assistant" }>): AssistantMessage {
  const calls = toolCalls.map(({ id, function: { name, arguments: text } }): ToolCallPart => {
    const parsed = parseArguments(text);
    return parsed.kind === "object"
      ? { kind: "tool-call", id, name, arguments: parsed.value }
      : { kind: "tool-call", id, name, arguments: {}, malformedArguments: parsed.text };
  });
  const said =
    content === undefined || content === "" ? [] : [{ kind: "text", text: content } as const];
  return { role: "assistant", content: [...said, ...calls] };
}

/** Results of one turn stand in one message. */
function addResult(history: Message[], result: ToolResultPart): void {
  const last = history.at(-1);
  if (last?.role === "tool") {
    history[history.length - 1] = { role: "tool", content: [...last.content, result] };
  } else {
    history.push({ role: "tool", content: [result] });
  }
}

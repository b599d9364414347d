import { isDeeperThan, type Json, type JsonObject, parseJson } from "../base/json.ts";
import { checkJsonSchema } from "../base/json-schema.ts";
import type { AgUiContentPart, AgUiMetadata } from "./ag-ui-event.ts";
import { invalidInput } from "./refusal.ts";
import { inputSchema } from "./run-agent-input-schema.ts";

/** A medium as clients before 1.0 send it. */
type LegacyPart = {
  readonly type: "binary";
  readonly mimeType: string;
  readonly data?: string;
  readonly url?: string;
  readonly filename?: string;
};

/** What a client may put into a message. */
export type InputContent = string | readonly (AgUiContentPart | LegacyPart)[];

interface Said {
  readonly id: string;
  /** Whose part of the work it was, where it was a subagent's. */
  readonly subagentRunId?: string;
}

/** A message as a client keeps it. All of it is the caller's word. */
export type InputMessage = Said &
  (
    | { readonly role: "developer" | "system" | "reasoning"; readonly content: string }
    | { readonly role: "user"; readonly content: InputContent }
    | {
        readonly role: "assistant";
        readonly content?: string;
        readonly toolCalls?: readonly {
          readonly id: string;
          readonly function: { readonly name: string; readonly arguments: string };
        }[];
      }
    | {
        readonly role: "tool";
        readonly toolCallId: string;
        readonly content: InputContent;
        readonly error?: string;
      }
    | { readonly role: "activity"; readonly activityType: string }
  );

/** A tool that runs in the client. */
export type InputTool = {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: JsonObject;
};

/** An answer to an interrupt. */
export type ResumeEntry = {
  readonly interruptId: string;
  readonly status: "resolved" | "cancelled";
  readonly payload?: Json;
  readonly metadata?: AgUiMetadata;
};

/** What a client asks for, as AG-UI 1.0 has it. Whatever is in it was written by the caller. */
export type RunAgentInput = {
  readonly threadId: string;
  readonly runId: string;
  /** Absent: a client before 1.0. */
  readonly protocolVersion?: string;
  readonly parentRunId?: string;
  readonly state?: Json;
  readonly messages: readonly InputMessage[];
  readonly tools?: readonly InputTool[];
  readonly context?: readonly { readonly description: string; readonly value: string }[];
  readonly forwardedProps?: Json;
  readonly resume?: readonly ResumeEntry[];
};

/** How much a caller may send. */
export interface InputLimits {
  /** Default 1,000. */
  readonly maxMessages?: number;
  /** Default 64. */
  readonly maxTools?: number;
}

/** Deeper data is nobody's intention. */
const deepestInput = 64;

/**
 * Reads the body of a request.
 *
 * @throws Refusal 400, which says what is wrong with it.
 */
export async function parseRunAgentInput(
  text: string,
  { maxMessages = 1_000, maxTools = 64 }: InputLimits = {},
): Promise<RunAgentInput> {
  const parsed = parseJson(text);
  if (parsed === undefined) {
    throw invalidInput("The body is not JSON.");
  }
  if (isDeeperThan(deepestInput, parsed)) {
    throw invalidInput(`The body is nested more than ${deepestInput} deep.`);
  }
  const input = withoutNulls(parsed);
  const check = await checkJsonSchema(inputSchema, input);
  if (check.kind !== "valid") {
    const issues = check.kind === "invalid" ? check.issues : [];
    const said = issues.slice(0, 3).map(({ path, message }) => `${path || "the body"} ${message}`);
    const message = `The body is no RunAgentInput: ${said.join("; ")}.`;
    throw invalidInput(message);
  }
  const checked = input as unknown as RunAgentInput; // the schema says so
  atMost(checked.messages.length, maxMessages, "messages");
  atMost(checked.tools?.length ?? 0, maxTools, "tools");
  return checked;
}

function atMost(count: number, limit: number, what: string): void {
  if (count > limit) {
    const message = `The input has ${count} ${what}; ${limit} are taken.`;
    throw invalidInput(message);
  }
}

/** Clients before 1.0 write `null` for what is absent. Free JSON stays as it is. */
function withoutNulls(input: Json): Json {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    return input;
  }
  const entries = Object.entries(input).filter(([key, value]) => key === "state" || value !== null);
  return Object.fromEntries(
    entries.map(([key, value]) => [
      key,
      key === "messages" && Array.isArray(value) ? value.map(withoutNulls) : value,
    ]),
  );
}

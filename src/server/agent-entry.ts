import type { CallToolResult } from "@modelcontextprotocol/server";
import type { RunArtifact } from "../agent/run-artifacts.ts";
import type { RunEvent } from "../agent/run-event.ts";
import type { RunResult, SuspendedRun } from "../agent/run-result.ts";
import { type Json, type JsonObject, toJson } from "../base/json.ts";
import type { McpToolCall, McpToolEntry } from "./mcp-tool-entry.ts";
import { whose } from "./owned.ts";
import type { Place } from "./places.ts";

/**
 * An agent as a tool of an MCP server: it takes a message and gives its answer as text and, structured,
 * with its typed output and the id of the run. With a session the agent remembers.
 *
 * A run that waits for a person is a failed call that names the run, which goes on over HTTP.
 *
 * @param placeNow the agent, as it is configured now.
 */
export function agentEntry(toolName: string, placeNow: () => Place): McpToolEntry {
  const { agent } = placeNow();
  const { name, description } = agent;
  return {
    definition: {
      name: toolName,
      title: name,
      description: `Asks the agent "${name}"${description === undefined ? "" : `: ${description}`}`,
      inputSchema: {
        type: "object",
        properties: {
          message: { type: "string", minLength: 1, description: "What the agent is asked." },
          session: {
            type: "string",
            minLength: 1,
            description: "Id of a conversation to go on with; one that is not there is begun.",
          },
        },
        required: ["message"],
        additionalProperties: false,
      },
      outputSchema: {
        type: "object",
        properties: {
          text: { type: "string", description: "The answer." },
          output: { description: "The typed answer, where the agent has one." },
          runId: { type: "string" },
          session: { type: "string" },
          artifacts: {
            type: "array",
            description: "Files that the run produced, which the server has at /artifacts/ID.",
            items: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
          },
        },
        required: ["text", "runId"],
        additionalProperties: false,
      },
      annotations: { openWorldHint: true },
    },
    call: (call) => askAgent(call, placeNow()),
  };
}

async function askAgent(call: McpToolCall, place: Place): Promise<CallToolResult> {
  const { message, session, ...rest } = call.arguments;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    return failure(`"${unknown}" is no argument: give message and, if you like, session.`);
  }
  if (typeof message !== "string" || message.trim() === "") {
    return failure("message must be a text: what the agent is asked.");
  }
  if (session !== undefined && (typeof session !== "string" || session === "")) {
    return failure("session must be the id of a conversation.");
  }
  const { agent, runs, sessions: store } = place;
  if (session !== undefined && store === undefined) {
    return failure("This server keeps no conversations; call again without session.");
  }
  const { caller, signal, trace } = call;
  const chosen =
    session === undefined || store === undefined ? {} : { session: { id: session, store } };
  const run = agent.stream(message, {
    ...whose(caller),
    context: caller.context,
    signal,
    store: runs,
    ...(trace === undefined ? {} : { trace }),
    ...chosen,
  });
  let count = 0;
  for await (const event of run) {
    const told = storyOf(event);
    if (told !== undefined) {
      count += 1;
      call.progress({ progress: count, message: told });
    }
  }
  return toCallResult(await run.result, session);
}

/** What a client is told while it waits. It holds no arguments and no results. */
function storyOf(event: RunEvent): string | undefined {
  switch (event.kind) {
    case "agent-start":
      return `${event.agent} begins`;
    case "model-start":
      return `asks the model (step ${event.step})`;
    case "model-retry":
      return `asks the model again`;
    case "tool-start":
      return `calls ${event.name}`;
    case "tool-progress":
      return event.progress.message ?? "a tool goes on";
    case "tool-end":
      return `${event.name} ${event.result.kind === "error" ? "failed" : "is done"}`;
    default:
      return undefined;
  }
}

function toCallResult(result: RunResult, session: string | undefined): CallToolResult {
  const { text, runId, artifacts } = result;
  switch (result.status) {
    case "completed": {
      const output = outputOf(result.output);
      return {
        content: [{ type: "text", text }],
        structuredContent: {
          text,
          runId,
          ...(output === undefined ? {} : { output }),
          ...(session === undefined ? {} : { session }),
          ...(artifacts.length === 0 ? {} : { artifacts: artifacts.map(labelOf) }),
        },
      };
    }
    case "suspended":
      return failure(waitingText(result));
    case "cancelled":
      return failure(`The run ${runId} was cancelled.`);
    default:
      return failure(`The run ${runId} failed (${result.error.code}): ${result.error.message}`);
  }
}

function waitingText({ runId, waitingFor }: SuspendedRun): string {
  const what = waitingFor.map((waiting) =>
    waiting.kind === "elicitation"
      ? `${waiting.kind} of ${waiting.server}`
      : `${waiting.kind} of ${waiting.call.name}`,
  );
  return `The run ${runId} waits for a person: ${what.join(", ")}. It goes on with POST /runs/${runId}/approve or /deny, and its answer is then at GET /runs/${runId}.`;
}

const labelOf = ({ id, mediaType, name, size }: RunArtifact): JsonObject => ({
  id,
  mediaType,
  ...(name === undefined ? {} : { name }),
  ...(size === undefined ? {} : { size }),
});

/** A typed answer may be what JSON cannot say. */
function outputOf(output: unknown): Json | undefined {
  try {
    return output === undefined ? undefined : toJson(output);
  } catch {
    return undefined;
  }
}

const failure = (text: string): CallToolResult => ({
  content: [{ type: "text", text }],
  isError: true,
});

import type { CallToolResult, InputRequiredResult } from "@modelcontextprotocol/server";
import type { Run } from "../agent/run.ts";
import type { RunArtifact } from "../agent/run-artifacts.ts";
import type { RunEvent } from "../agent/run-event.ts";
import type { RunResult, SuspendedRun } from "../agent/run-result.ts";
import { type Json, type JsonObject, toJson } from "../base/json.ts";
import { questionsOf, readAnswers } from "./ask-client.ts";
import type { AnsweredCall, McpToolCall, McpToolEntry } from "./mcp-tool-entry.ts";
import { isOwn, whose } from "./owned.ts";
import type { Place } from "./places.ts";
import { resumedRun } from "./resume-run.ts";

/**
 * An agent as a tool of an MCP server: it takes a message and gives its answer as text and, structured,
 * with its typed output and the id of the run. With a session the agent remembers.
 *
 * Where its run waits for a person, the client's user is asked, if the client can do that; else it is a
 * failed call that names the run, which goes on over HTTP.
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
    call: (call) =>
      call.answered === undefined
        ? askAgent(call, placeNow())
        : goOn(call, call.answered, placeNow()),
  };
}

type Outcome = CallToolResult | InputRequiredResult;

/** Goes on with a run of the caller's that has waited for what the client has sent now. */
async function goOn(
  call: McpToolCall,
  { state, responses }: AnsweredCall,
  place: Place,
): Promise<Outcome> {
  const { agent, app, runs } = place;
  const { caller, signal } = call;
  const id = String(state);
  const record = await runs.get({ app, id, ...whose(caller) });
  if (record === undefined || !isOwn(record, caller) || record.agent !== agent.name) {
    return failure("There is no such run, or it is not yours.");
  }
  const { status, waitingFor } = record;
  if (status !== "suspended") {
    return failure(
      `The run ${id} waits no longer: it was decided elsewhere, and is ${status}. What became of it is at GET /runs/${id}.`,
    );
  }
  const answers = readAnswers(responses, waitingFor);
  switch (answers.kind) {
    case "put-away":
      return failure(waitingText({ runId: id, waitingFor }));
    case "open":
      return asking({ runId: id, waitingFor }, call);
    case "decisions": {
      const { decisions } = answers;
      const run = resumedRun({ place, record }, { decisions, signal }, caller);
      return follow(run, call, record.session);
    }
  }
}

/** Asks the client's user, if the client can do that. */
function asking(waiting: Pick<SuspendedRun, "runId" | "waitingFor">, call: McpToolCall): Outcome {
  return (call.canAsk ? questionsOf(waiting) : undefined) ?? failure(waitingText(waiting));
}

async function askAgent(call: McpToolCall, place: Place): Promise<Outcome> {
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
  return follow(run, call, session);
}

/** Tells the client of a run, and how it ends. */
async function follow(run: Run, call: McpToolCall, session: string | undefined): Promise<Outcome> {
  let count = 0;
  for await (const event of run) {
    const told = storyOf(event);
    if (told !== undefined) {
      count += 1;
      call.progress({ progress: count, message: told });
    }
  }
  const result = await run.result;
  return result.status === "suspended" ? asking(result, call) : toCallResult(result, session);
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

function toCallResult(result: EndedRun, session: string | undefined): CallToolResult {
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
    case "cancelled":
      return failure(`The run ${runId} was cancelled.`);
    default:
      return failure(`The run ${runId} failed (${result.error.code}): ${result.error.message}`);
  }
}

type EndedRun = Exclude<RunResult, SuspendedRun>;

function waitingText({ runId, waitingFor }: Pick<SuspendedRun, "runId" | "waitingFor">): string {
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

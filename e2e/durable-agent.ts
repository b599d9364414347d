import { once } from "node:events";
import { appendFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Agent } from "../src/agent/agent.ts";
import type { CredentialSource } from "../src/base/credential.ts";
import { silentLogger } from "../src/base/logger.ts";
import { Secret } from "../src/base/secret.ts";
import { createDragoman } from "../src/configure.ts";
import { mcpToolset } from "../src/mcp/toolset/mcp-toolset.ts";
import type { Model, ModelRequest } from "../src/model/model.ts";
import type { ModelEvent } from "../src/model/model-event.ts";
import { defineTool } from "../src/tool/define-tool.ts";

/** The process is killed within this step, after its effect and before its end. */
export type KillWithin = "model1" | "model2" | "model3" | "reserve" | "lookup" | "charge";

/** How the agent of the crash tests is made. */
export interface DurableAgentOptions {
  /** The file that every effect is noted in, a line each. */
  readonly effects: string;
  /** The application it is of. Default `"crash"`. */
  readonly app?: string | undefined;
  readonly killWithin?: KillWithin | undefined;
  /** It stays in this step until somebody stops it. */
  readonly staysWithin?: "model2" | "charge" | undefined;
  /** How long the charge may be decided on, in milliseconds. */
  readonly decideWithinMs?: number | undefined;
  /** Whether somebody must approve the charge. */
  readonly asks?: boolean | undefined;
  /** Not the tool that the run has called. */
  readonly changed?: boolean | undefined;
}

/** In no database may this be found. */
export const secret = "hunter2-do-not-journal";

/** Ends its process, or stays, where that is wanted. */
type Die = (where: KillWithin, signal: AbortSignal) => Promise<void>;

/** Ends this process as a power cut would. */
export function killItself(): void {
  process.kill(process.pid, "SIGKILL");
}

/**
 * Six steps: a model call; two tools side by side, of which one is a server's; a model call; a tool that
 * may not be repeated; a model call. Credentials are about in every place where they may be.
 */
export function durableAgent(options: DurableAgentOptions): Agent {
  const { effects, app = "crash", killWithin, staysWithin, changed = false } = options;
  const { asks = false, decideWithinMs } = options;
  const note = (effect: string): void => appendFileSync(effects, `${effect}\n`);
  const die: Die = async (where, signal) => {
    if (killWithin === where) {
      killItself();
      await new Promise(() => {});
    }
    if (staysWithin === where) {
      await once(signal, "abort");
      note(`stopped-${where}`);
      signal.throwIfAborted();
    }
  };
  const tool = (name: "reserve" | "charge", idempotent: boolean) =>
    defineTool({
      name,
      description: name,
      idempotent,
      inputSchema: { type: "object", properties: { seat: { type: "string" } } },
      async execute(_input, { binding, idempotencyKey, signal }) {
        const { secret: token } = await binding.credential("bank");
        note(`${name} ${idempotencyKey} ${token.reveal() === secret}`);
        await die(name, signal);
        return `${name} done`;
      },
    });
  const files = mcpToolset({
    name: "files",
    transport: {
      type: "stdio",
      command: process.execPath,
      args: [fileURLToPath(new URL("./durable-server.ts", import.meta.url)), effects],
      env: { TOKEN: secret, ...(killWithin === "lookup" ? { KILL_PARENT: "1" } : {}) },
    },
    mapTool: (one) => one.with({ idempotent: true }),
  });
  const dragoman = createDragoman({ app, logger: silentLogger, credentials, env: {} });
  return dragoman.defineAgent({
    name: "clerk",
    model: scripted(note, die),
    tools: changed ? [] : [tool("reserve", true), tool("charge", false)],
    mcp: [files],
    ...(asks
      ? {
          approval: {
            tools: { charge: "ask" },
            ...(decideWithinMs === undefined ? {} : { timeoutMs: decideWithinMs }),
          },
        }
      : {}),
  });
}

const credentials: CredentialSource = {
  async credential(name) {
    const found = {
      name,
      secret: new Secret(secret),
      headers: { authorization: new Secret(secret) },
      query: {},
      renew: async () => found,
    };
    return found;
  },
};

/** Goes by what is in the conversation, as a real model does. */
function scripted(note: (effect: string) => void, die: Die): Model {
  const turns = [["reserve", "lookup"], ["charge"], []] as const;
  return {
    id: "scripted",
    capabilities: { tools: true, images: false, jsonSchema: true },
    async *stream({ messages }: ModelRequest, { signal }): AsyncGenerator<ModelEvent> {
      const results = messages.filter(({ role }) => role === "tool");
      const turn = results.length;
      const name = `model${turn + 1}` as KillWithin; // there are three
      note(`${name} ${orderOf(results)}`);
      yield { kind: "text-start", id: "t" };
      for (const word of ["I ", "think ", `${turn + 1}.`]) {
        yield { kind: "text-delta", id: "t", text: word };
      }
      await die(name, signal);
      yield { kind: "text-end", id: "t" };
      for (const call of turns[turn] ?? []) {
        yield { kind: "tool-call-start", id: call, name: call };
        yield { kind: "tool-call-delta", id: call, text: '{"seat":"1A"}' };
        yield { kind: "tool-call-end", id: call };
      }
      const reason = turn < 2 ? "tool-calls" : "stop";
      yield { kind: "finish", reason, usage: { inputTokens: 1, outputTokens: 1 } };
    },
  };
}

/** The calls that a model is told the results of, in the order in which it is told. */
const orderOf = (results: ModelRequest["messages"]): string =>
  results
    .flatMap((message) => (message.role === "tool" ? message.content : []))
    .map(({ id }) => id)
    .join();

import {
  type ModelServer,
  type ModelServerOptions,
  type ServerWire,
  startModelServer,
} from "./model-server.ts";
import { toChunks, toCompletion } from "./openai-server-answers.ts";
import { complaintAbout } from "./openai-server-checks.ts";

const openAiWire: ServerWire = {
  basePath: "/v1",
  streamType: "text/event-stream; charset=utf-8",
  complaintAbout,
  refusal: (message) => ({ error: { message, type: "invalid_request_error", code: null } }),
  wantsStream: ({ stream }) => stream === true,
  toWhole: toCompletion,
  toChunks,
  frame: (chunk) => `data: ${JSON.stringify(chunk)}\n\n`,
  endMark: "data: [DONE]\n\n",
};

/**
 * Starts a server that speaks OpenAI's chat completions. It refuses (400) what a strict provider
 * refuses: a tool call without its result or with arguments that are no JSON object, a tool whose
 * schema is none, base64 as text. Leaving its scope closes it and all its connections.
 */
export const startOpenAiServer = (options: ModelServerOptions): Promise<ModelServer> =>
  startModelServer(openAiWire, options);

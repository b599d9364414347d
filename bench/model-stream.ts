import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { sendHttpRequest } from "../src/http/http-request.ts";
import { readServerSentEvents } from "../src/http/server-sent-events.ts";
import { openAiCompatible } from "../src/models/openai-compatible.ts";

// CPU per token of a long stream: our model against the same bytes read with the HTTP client, the
// event reader and JSON.parse alone. The server runs in a process of its own: its CPU does not count.
// Run it with: node bench/model-stream.ts

const tokens = 20_000;
const rounds = 7;

if (process.send === undefined) {
  const server = fork(import.meta.filename);
  const [baseUrl] = await once(server, "message");
  const signal = new AbortController().signal;
  const model = openAiCompatible({ model: "bench", baseUrl });
  const ways = { raw: () => readRaw(baseUrl), model: () => readModel(model, signal) };
  const best = { raw: Number.POSITIVE_INFINITY, model: Number.POSITIVE_INFINITY };
  for (let round = 0; round < rounds; round += 1) {
    best.raw = Math.min(best.raw, await cpuPerToken(ways.raw));
    best.model = Math.min(best.model, await cpuPerToken(ways.model));
  }
  const ratio = (best.model / best.raw).toFixed(2);
  console.log(
    `raw ${best.raw.toFixed(2)} µs/token, model ${best.model.toFixed(2)} µs/token, ratio ${ratio}`,
  );
  server.kill();
} else {
  serve();
}

async function cpuPerToken(read: () => Promise<number>): Promise<number> {
  const before = process.cpuUsage();
  const count = await read();
  const { user, system } = process.cpuUsage(before);
  if (count !== tokens) {
    throw new Error(`Read ${count} tokens instead of ${tokens}.`);
  }
  return (user + system) / tokens;
}

async function readRaw(baseUrl: string): Promise<number> {
  const response = await sendHttpRequest({
    method: "POST",
    url: `${baseUrl}/chat/completions`,
    headers: { "content-type": "application/json" },
    body: "{}",
    maxResponseBytes: 64 * 1024 * 1024,
  });
  let count = 0;
  for await (const batch of readServerSentEvents(response.body)) {
    for (const { data } of batch) {
      if (data !== "[DONE]") {
        count += JSON.parse(data).choices[0].delta.content === undefined ? 0 : 1;
      }
    }
  }
  return count;
}

async function readModel(
  model: ReturnType<typeof openAiCompatible>,
  signal: AbortSignal,
): Promise<number> {
  let count = 0;
  const request = { messages: [{ role: "system", text: "Go." }], tools: [] } as const;
  for await (const event of model.stream(request, { signal })) {
    count += event.kind === "text-delta" ? 1 : 0;
  }
  return count;
}

/** One write for each token, as a model server does it. */
function serve(): void {
  const chunk = (delta: object, reason: string | null): string =>
    `data: ${JSON.stringify({
      id: "chatcmpl-0123456789",
      object: "chat.completion.chunk",
      created: 1_700_000_000,
      model: "bench",
      choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
    })}\n\n`;
  const server = createServer(async (incoming, response) => {
    incoming.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (let token = 0; token < tokens; token += 1) {
      if (!response.write(chunk({ content: ` word${token % 100}` }, null))) {
        await once(response, "drain");
      }
    }
    response.end(`${chunk({}, "stop")}data: [DONE]\n\n`);
  });
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo; // an IP server has no other
    process.send?.(`http://127.0.0.1:${port}/v1`);
  });
}

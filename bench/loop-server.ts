// A chat-completions server for an agent's loop: it asks for two tools so many times, and then streams an
// answer. It tells its base URL to the process that forked it.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

const turns = Number(process.argv[2]);
const tokens = Number(process.argv[3]);

const chunk = (delta: object, reason: string | null = null): string =>
  `data: ${JSON.stringify({
    id: "chatcmpl-0123456789",
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: "bench",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
  })}\n\n`;

const call = (turn: number, index: number, name: string, given: object): object => ({
  index,
  id: `call_${turn}_${index}`,
  type: "function",
  function: { name, arguments: JSON.stringify(given) },
});

async function turnOf(incoming: IncomingMessage): Promise<number> {
  const { messages } = JSON.parse(await text(incoming)) as { messages: { role: string }[] }; // ours
  return messages.filter(({ role }) => role === "assistant").length;
}

const server = createServer(async (incoming, response) => {
  const turn = await turnOf(incoming);
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (turn < turns) {
    const calls = [
      call(turn, 0, "add", { a: turn, b: 2 }),
      call(turn, 1, "lookup", { key: `k${turn}` }),
    ];
    response.write(chunk({ role: "assistant", tool_calls: calls }));
    response.end(`${chunk({}, "tool_calls")}data: [DONE]\n\n`);
    return;
  }
  for (let token = 0; token < tokens; token += 1) {
    response.write(chunk({ content: ` word${token % 100}` }));
  }
  response.end(`${chunk({}, "stop")}data: [DONE]\n\n`);
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo; // an IP server has no other
  process.send?.(`http://127.0.0.1:${port}/v1`);
});

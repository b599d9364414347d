// A chat-completions server that streams as many tokens as its argument says, one write for each, as a
// model server does it. It tells its base URL to the process that forked it.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const tokens = Number(process.argv[2]);

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

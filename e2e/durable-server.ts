import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

// Run as a process of its own: an MCP server over stdio whose one tool notes each call in a file, and may
// kill the process that has called it before it answers.
const [effects = ""] = process.argv.slice(2);

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string; readonly _meta?: Record<string, unknown> };
}

const lookup = {
  name: "lookup",
  description: "Looks a seat up.",
  inputSchema: { type: "object", properties: { seat: { type: "string" } } },
};

function answerTo({ method, params }: Request): unknown {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "files", version: "1" },
      };
    case "tools/list":
      return { tools: [lookup] };
    case "tools/call":
      appendFileSync(effects, `lookup ${params?._meta?.["dragoman/idempotency-key"]} true\n`);
      if (process.env["KILL_PARENT"] !== undefined) {
        process.kill(process.ppid, "SIGKILL");
      }
      return { content: [{ type: "text", text: "free" }] };
    default:
      return {};
  }
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const request = JSON.parse(line) as Request;
  if (request.id !== undefined) {
    const answer = { jsonrpc: "2.0", id: request.id, result: answerTo(request) };
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
});

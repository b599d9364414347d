/**
 * A program: a hostile MCP server on its standard streams. Its arguments are the kind of server and a
 * file to which it appends its process id and those of what it starts.
 */
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Writable } from "node:stream";
import type { HostileCase } from "./hostile-cases.ts";
import { answerRequest } from "./hostile-dialogue.ts";
import type { HostileExchange, HostileMessage } from "./hostile-exchange.ts";

/** Whatever goes wrong with whoever started it, it is gone after this time. */
const longestLifeMs = 120_000;

const [, , kind, pidFile] = process.argv as [string, string, HostileCase, string];
const answers = new Map<unknown, (answer: HostileMessage) => void>();

appendFileSync(pidFile, `${process.pid}\n`);
setTimeout(() => process.exit(1), longestLifeMs).unref();
process.stdout.on("error", () => process.exit(1)); // nobody reads
if (kind === "ignores-end") {
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 1_000);
}
if (kind === "garbage-before-handshake") {
  process.stdout.write('Starting…\n{"level":"info","msg":"listening"}\n[1,2\n\n\u0000\u0001\n');
}
createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line) as HostileMessage; // of the client that is under test
  if (message["method"] === undefined) {
    answers.get(message["id"])?.(message);
  } else if (message["id"] !== undefined) {
    void answerRequest(kind, exchangeFor(message));
  }
});

function exchangeFor(request: HostileMessage): HostileExchange {
  const send = async (message: HostileMessage): Promise<void> => {
    await write(process.stdout, `${JSON.stringify(message)}\n`);
  };
  return {
    over: "stdio",
    request,
    send,
    answer: (result) => send({ jsonrpc: "2.0", id: request["id"], result }),
    begin: () => {},
    write: (text) => write(process.stdout, text),
    end: () => void process.stdout.write("\n"),
    cut: (exitCode) => process.exit(exitCode),
    respond: () => {},
    startGrandchild,
    clientAnswer: (id) => new Promise((resolve) => answers.set(id, resolve)),
    complain: async (text) => void (await write(process.stderr, text)),
    isOpen: () => true,
  };
}

function write(stream: Writable, text: string): Promise<boolean> {
  return new Promise((resolve) => {
    if (stream.write(text)) {
      resolve(true);
    } else {
      stream.once("drain", () => resolve(true));
    }
  });
}

function startGrandchild(): void {
  const program = `process.on("SIGTERM", () => {}); setTimeout(() => {}, ${longestLifeMs});`;
  const { pid } = spawn(process.execPath, ["-e", program], { stdio: "inherit" });
  appendFileSync(pidFile, `${pid}\n`);
}

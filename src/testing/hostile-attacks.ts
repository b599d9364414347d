import type { HostileCase } from "./hostile-cases.ts";
import type { HostileExchange } from "./hostile-exchange.ts";

/** Strikes. */
export type HostileAttack = (exchange: HostileExchange) => void | Promise<void>;

const mebibyte = 1024 * 1024;
const piece = "x".repeat(mebibyte);

/** What each kind of server does when `attack` is called. Those that are not here just answer. */
export const hostileAttacks: { readonly [kind in HostileCase]?: HostileAttack } = {
  "huge-message": (exchange) => sendText(exchange, { form: "json", pieces: 200 }),
  "huge-event": (exchange) => sendText(exchange, { form: "event", pieces: 200 }),
  "huge-error-body": (exchange) => sendText(exchange, { form: "json", pieces: 200, status: 500 }),
  "endless-message": (exchange) =>
    sendText(exchange, { form: "event", pieces: Number.POSITIVE_INFINITY }),
  "never-answers": () => {},
  "endless-progress": reportForEver,
  "dies-mid-call": (exchange) => exchange.cut(7),
  "half-message": async (exchange) => {
    exchange.begin("json");
    await exchange.write('{"jsonrpc":"2.0","id":');
    exchange.cut(0);
  },
  "grandchild-holds-pipe": (exchange) => {
    exchange.startGrandchild();
    exchange.cut(0);
  },
  "invalid-json": async (exchange) => {
    exchange.begin("json");
    await exchange.write("{this is not JSON");
    exchange.end();
  },
  "invalid-number": async (exchange) => {
    exchange.begin("json");
    const id = JSON.stringify(exchange.request["id"]);
    await exchange.write(`{"jsonrpc":"2.0","id":${id},"result":{"mean":NaN}}`);
    exchange.end();
  },
  "html-answer": (exchange) =>
    exchange.respond(200, { "content-type": "text/html" }, "<html><body>Sign in</body></html>"),
  "accepted-without-answer": (exchange) => exchange.respond(202),
  "ends-without-answer": (exchange) => {
    exchange.begin("event");
    exchange.end();
  },
  "socket-destroyed": (exchange) => exchange.cut(),
  "session-lost": (exchange) => exchange.respond(404),
  "too-many-requests": (exchange) => exchange.respond(429, { "retry-after": "7" }),
  unavailable: (exchange) => exchange.respond(503),
  "wrong-id": (exchange) => exchange.send({ jsonrpc: "2.0", id: 987_654, result: said("other") }),
  "duplicate-answer": async (exchange) => {
    const { id } = exchange.request;
    await exchange.send({ jsonrpc: "2.0", id, result: said("first") });
    await exchange.answer(said("second"));
  },
  "unknown-content": (exchange) =>
    exchange.answer({
      content: [
        { type: "hologram", data: "AAAA" },
        { type: "text", text: "Done." },
      ],
    }),
  "malformed-content": (exchange) =>
    exchange.answer({
      content: [7, null, { type: "text" }, { type: "image", data: 1 }],
      isError: 0,
    }),
  "external-reference": (exchange) => exchange.answer(structured({ text: "Done." })),
  "reference-loop": (exchange) => exchange.answer(structured({ text: "Done." })),
  "costly-schema": (exchange) => exchange.answer(structured({ text: "Done." })),
  "slow-pattern": (exchange) => exchange.answer(structured({ text: `${"a".repeat(100_000)}!` })),
  "output-mismatch": (exchange) => exchange.answer(structured({ days: "three" })),
  "notification-flood": (exchange) =>
    flood(exchange, 200_000, "notifications/message", { level: "info", data: "flood" }),
  "list-changed-flood": (exchange) =>
    flood(exchange, 5_000, "notifications/tools/list_changed", {}),
  "sampling-request": async (exchange) => {
    const params = { messages: [], maxTokens: 1_000_000 };
    await exchange.send({ jsonrpc: "2.0", id: "steal", method: "sampling/createMessage", params });
    const { error, result } = await exchange.clientAnswer("steal");
    await exchange.answer(said(JSON.stringify(error ?? result)));
  },
  "stderr-flood": async (exchange) => {
    for (let written = 0; written < 100; written += 1) {
      await exchange.complain(piece);
    }
    await exchange.answer(said("Done."));
  },
};

/** A result that is a text. */
export function said(text: string): { readonly content: readonly unknown[] } {
  return { content: [{ type: "text", text }] };
}

const structured = (structuredContent: unknown): object => ({
  ...said("Done."),
  structuredContent,
});

async function sendText(
  exchange: HostileExchange,
  how: { readonly form: "json" | "event"; readonly pieces: number; readonly status?: number },
): Promise<void> {
  exchange.begin(how.form, how.status);
  const id = JSON.stringify(exchange.request["id"]);
  await exchange.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
  for (let sent = 0; sent < how.pieces; sent += 1) {
    if (!(await exchange.write(piece))) {
      return;
    }
  }
  await exchange.write(`"}]}}`);
  exchange.end();
}

async function reportForEver(exchange: HostileExchange): Promise<void> {
  const { params } = exchange.request as {
    readonly params?: { readonly _meta?: { readonly progressToken?: unknown } };
  };
  const progressToken = params?._meta?.progressToken;
  for (let progress = 1; exchange.isOpen(); progress += 1) {
    const report = { progressToken, progress, message: "nearly there" };
    await exchange.send({ jsonrpc: "2.0", method: "notifications/progress", params: report });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function flood(
  exchange: HostileExchange,
  count: number,
  method: string,
  params: object,
): Promise<void> {
  for (let sent = 0; sent < count && exchange.isOpen(); sent += 1) {
    await exchange.send({ jsonrpc: "2.0", method, params });
  }
  await exchange.answer(said("Done."));
}

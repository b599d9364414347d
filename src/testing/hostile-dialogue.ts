import { hostileAttacks, said } from "./hostile-attacks.ts";
import type { HostileCase } from "./hostile-cases.ts";
import type { HostileExchange, HostileMessage } from "./hostile-exchange.ts";
import { hostilePage } from "./hostile-tools.ts";

/** Answers one request as this kind of server does. */
export async function answerRequest(kind: HostileCase, exchange: HostileExchange): Promise<void> {
  const { request } = exchange;
  const params = (request["params"] ?? {}) as HostileMessage; // whatever it is, it is only read
  switch (request["method"]) {
    case "initialize":
      if (kind !== "never-initializes") {
        await exchange.answer({
          protocolVersion: params["protocolVersion"],
          capabilities: { tools: { listChanged: true }, logging: {} },
          serverInfo: { name: `hostile: ${kind}`, version: "1.0.0" },
        });
      }
      return;
    case "tools/list":
      return exchange.answer(hostilePage(kind, String(params["cursor"] ?? "")));
    case "tools/call": {
      const attack = hostileAttacks[kind];
      return params["name"] === "attack" && attack !== undefined
        ? attack(exchange)
        : exchange.answer(said(JSON.stringify(params["arguments"] ?? {})));
    }
    case "ping":
      return exchange.answer({});
    default: {
      const error = { code: -32_601, message: "There is no such method." };
      return exchange.send({ jsonrpc: "2.0", id: request["id"], error });
    }
  }
}

import { isJsonObject, parseJson } from "../base/json.ts";
import type { RpcMessage } from "./protocol-transport.ts";

/**
 * The JSON-RPC messages on a line of a server's output: mostly one; several where it is a batch (as
 * revision 2025-03-26 allows); one with a line of a log glued in front of it; or none.
 */
export function messagesInLine(line: string): readonly RpcMessage[] {
  const start = line.indexOf("{");
  const parsed = parseJson(line) ?? (start > 0 ? parseJson(line.slice(start)) : undefined);
  const candidates: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  return candidates.filter(isMessage);
}

/** The SDK checks the rest of the message. */
const isMessage = (value: unknown): value is RpcMessage =>
  isJsonObject(value) && value["jsonrpc"] === "2.0";

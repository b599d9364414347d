import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";

/** What an answer names its request by. */
export type RpcId = string | number;

/** A message of JSON-RPC 2.0 that is a request. */
export interface RpcRequest {
  readonly jsonrpc: "2.0";
  readonly id: RpcId;
  readonly method: string;
  readonly params?: JsonObject;
}

/** A message that nobody answers. */
export interface RpcNotification {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: JsonObject;
}

/** The answer to a request; how it is made is checked by whoever waits for it. */
export interface RpcAnswer {
  readonly jsonrpc: "2.0";
  /** `null` where the other side could not tell which request it was. */
  readonly id: RpcId | null;
  readonly result?: Json;
  readonly error?: Json;
}

/** A message of JSON-RPC 2.0. */
export type RpcMessage = RpcRequest | RpcNotification | RpcAnswer;

/** The messages in a parsed text: one, or several where it is a batch (as revision 2025-03-26 allows). */
export function toRpcMessages(parsed: unknown): readonly RpcMessage[] {
  const candidates: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  return candidates.filter(isRpcMessage);
}

/** Whether `message` waits for an answer. */
export function isRpcRequest(message: RpcMessage): message is RpcRequest {
  return "method" in message && "id" in message;
}

/** Whether `message` is an answer. */
export function isRpcAnswer(message: RpcMessage): message is RpcAnswer {
  return !("method" in message);
}

function isRpcMessage(value: unknown): value is RpcMessage {
  if (!isJsonObject(value) || value["jsonrpc"] !== "2.0") {
    return false;
  }
  const { id, method, params } = value;
  const named = typeof id === "string" || typeof id === "number";
  return method === undefined
    ? named || (id === null && "error" in value)
    : typeof method === "string" &&
        (id === undefined || named) &&
        (params === undefined || isJsonObject(params));
}

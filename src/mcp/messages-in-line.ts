import { parseJson } from "../base/json.ts";
import { type RpcMessage, toRpcMessages } from "./rpc-message.ts";

/**
 * The JSON-RPC messages on a line of a server's output: mostly one; several where it is a batch (as
 * revision 2025-03-26 allows); one with a line of a log glued in front of it; or none.
 */
export function messagesInLine(line: string): readonly RpcMessage[] {
  const whole = parseJson(line);
  if (whole !== undefined) {
    return toRpcMessages(whole);
  }
  const start = line.indexOf("{");
  return start > 0 ? toRpcMessages(parseJson(line.slice(start))) : [];
}

import { balancedEnd } from "../../base/find-json.ts";
import { parseJson } from "../../base/json.ts";
import { type RpcMessage, toRpcMessages } from "./rpc-message.ts";

/**
 * The JSON-RPC messages on a line of a server's output: mostly one; several where it is a batch (as
 * revision 2025-03-26 allows), or where their line ends are missing; those with lines of a log glued
 * before, between or behind them; or none.
 */
export function messagesInLine(line: string): readonly RpcMessage[] {
  const whole = parseJson(line);
  return whole === undefined ? gluedIn(line) : toRpcMessages(whole);
}

function gluedIn(line: string): readonly RpcMessage[] {
  const beginnings = /\{\s*"(?:jsonrpc|id|method|params|result|error)"\s*:/g;
  const found: RpcMessage[] = [];
  for (;;) {
    const start = beginnings.exec(line)?.index;
    const end = start === undefined ? undefined : balancedEnd(line, start);
    if (start === undefined || end === undefined) {
      return found; // what is not closed is cut off, and all behind it is in it
    }
    found.push(...toRpcMessages(parseJson(line.slice(start, end))));
    beginnings.lastIndex = end; // also where it is none, so that the work is linear
  }
}

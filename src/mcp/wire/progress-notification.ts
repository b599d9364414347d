import type { JsonObject } from "../../base/json.ts";
import type { ToolProgress } from "../../tool/tool.ts";
import { visibleLine } from "../text/visible-text.ts";
import type { RpcNotification, RpcRequest } from "./rpc-message.ts";

/** Whether a message tells how far a request has come. */
export const isProgress = (message: RpcNotification | RpcRequest): boolean =>
  message.method === "notifications/progress" && !("id" in message);

/** What it tells; `undefined` where it is not of the right form. */
export function toProgress({ progress, total, message }: JsonObject): ToolProgress | undefined {
  if (typeof progress !== "number") {
    return undefined;
  }
  return {
    progress,
    ...(typeof total === "number" ? { total } : {}),
    ...(typeof message === "string" ? { message: visibleLine(message, 500) } : {}),
  };
}

import { isDeeperThan, type Json } from "../../base/json.ts";
import { ToolError, type ToolErrorCode } from "../../base/tool-error.ts";
import { visibleJson } from "../text/visible-json.ts";
import { visibleText } from "../text/visible-text.ts";
import { McpError, type McpErrorCode } from "../wire/mcp-error.ts";

/**
 * A failed call, as the model and the run see it. The model reads what happened and what kind of
 * trouble it was, or the server's own message, code and data, in which nothing is invisible; a server's last words on its standard
 * error stay in `cause`.
 */
export function toToolError(error: unknown): unknown {
  if (!McpError.is(error)) {
    return error;
  }
  const { remote, status } = error;
  if (error.code === "mcp-remote-error" && remote !== undefined) {
    const { code, message, data } = remote;
    return new ToolError(visibleText(message), {
      code: "remote-tool",
      cause: error,
      data: { code, ...(data === undefined ? {} : { data: shownData(data) }) },
    });
  }
  const [firstLine = error.message] = error.message.split("\n");
  return new ToolError(firstLine, {
    code: codes[error.code],
    cause: error,
    data: { kind: error.code, ...(status === undefined ? {} : { status }) },
  });
}

/** Nobody means data of such depth. */
const deepest = 256;

const shownData = (data: Json): Json =>
  isDeeperThan(deepest, data) ? "It is nested too deep to be shown." : visibleJson(data);

const codes: Readonly<Record<McpErrorCode, ToolErrorCode>> = {
  "mcp-connect-failed": "tool-network",
  "mcp-connection-closed": "tool-network",
  "mcp-not-connected": "tool-network",
  "mcp-session-expired": "tool-http",
  "mcp-certificate": "tool-certificate",
  "mcp-timeout": "tool-timeout",
  "mcp-http": "tool-http",
  "mcp-authorization": "tool-http",
  "mcp-protocol": "tool-failed",
  "mcp-limit": "tool-response-too-large",
  "mcp-remote-error": "remote-tool",
  "mcp-invalid-arguments": "invalid-arguments",
  "mcp-input-required": "tool-failed",
};

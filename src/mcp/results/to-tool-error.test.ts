import { expect, test } from "vitest";
import { McpError, type McpErrorCode } from "../wire/mcp-error.ts";
import { toToolError } from "./to-tool-error.ts";

test.each([
  ["mcp-connect-failed", "tool-network"],
  ["mcp-connection-closed", "tool-network"],
  ["mcp-certificate", "tool-certificate"],
  ["mcp-timeout", "tool-timeout"],
  ["mcp-protocol", "tool-failed"],
  ["mcp-limit", "tool-response-too-large"],
] as const)(
  "%s is a tool error of the kind %s that names the trouble",
  (code: McpErrorCode, toolCode) => {
    const error = new McpError('The MCP server "s" is gone.\nlast words', { code, server: "s" });
    expect(toToolError(error)).toMatchObject({
      code: toolCode,
      message: 'The MCP server "s" is gone.',
      data: { kind: code },
      cause: error,
    });
  },
);

test("an HTTP status is told", () => {
  const error = new McpError("no", { code: "mcp-http", server: "s", status: 503 });
  expect(toToolError(error)).toMatchObject({
    code: "tool-http",
    data: { kind: "mcp-http", status: 503 },
  });
});

test("an error of the server keeps message, code and data", () => {
  const remote = { code: -32_602, message: "Invalid\nparams", data: { field: "amount" } };
  const error = new McpError("x", { code: "mcp-remote-error", server: "s", remote });
  expect(toToolError(error)).toMatchObject({
    code: "remote-tool",
    message: "Invalid\nparams",
    data: { code: -32_602, data: { field: "amount" } },
  });
});

test("any other error stays what it is", () => {
  const error = new TypeError("x");
  expect(toToolError(error)).toBe(error);
});

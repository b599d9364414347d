import { inspect } from "node:util";
import { expect, test } from "vitest";
import {
  ToolCertificateError,
  ToolError,
  ToolHttpError,
  ToolNetworkError,
  ToolTimeoutError,
} from "./tool-error.ts";

const cause = new Error("original");
const response = { status: 404, headers: { "set-cookie": "s3cret" }, body: "s3cret" };

test.each([
  ["tool-timeout", new ToolTimeoutError("late", { cause }), ToolTimeoutError],
  ["tool-network", new ToolNetworkError("gone", { cause }), ToolNetworkError],
  ["tool-certificate", new ToolCertificateError("false", { cause }), ToolCertificateError],
  ["tool-http", new ToolHttpError("404", response, { cause }), ToolHttpError],
])("L-H16, L-H17: %s is a kind of ToolError and keeps its cause", (code, error, kind) => {
  expect(error).toMatchObject({ code, cause, name: kind.name });
  expect(ToolError.is(error)).toBe(true);
  expect(kind.is(error)).toBe(true);
  expect(kind.is(new ToolError("other"))).toBe(false);
});

test("L-H14: a ToolHttpError carries the response, and printing it does not show it", () => {
  const error = new ToolHttpError("GET x answered 404", response);
  expect(error.response).toBe(response);
  expect(error.data).toEqual({ status: 404 });
  expect(`${JSON.stringify(error)}${inspect(error)}${error.stack}`).not.toContain("s3cret");
});

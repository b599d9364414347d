import { expect, test } from "vitest";
import { startFailure } from "./start-failure.ts";

const missing = Object.assign(new Error("spawn x ENOENT"), { code: "ENOENT" });
const at = (command: string, more = {}) => ({ type: "stdio", command, ...more }) as const;

test.each([
  ["x", {}, /^the command was not found in the PATH\. Install it/],
  ["x", { env: { PATH: "/y" } }, /^the command was not found in the PATH that its env sets/],
  ["./x", {}, /^there is no such program/],
  ["C:\\tools\\x.exe", {}, /^there is no such program/],
  ["x", { cwd: "/no/such/folder" }, /^its folder "\/no\/such\/folder" does not exist/],
])("%s with %j: why it could not be started", (command, more, words) => {
  expect(startFailure(missing, at(command, more))).toMatch(words);
});

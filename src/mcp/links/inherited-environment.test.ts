import { expect, test } from "vitest";
import {
  environmentInSandbox,
  inheritedEnvironment,
  joinedEnvironment,
} from "./inherited-environment.ts";

test("a child inherits what programs need, and no secret", () => {
  const ours = {
    PATH: "/bin",
    HOME: "/home/a",
    TERM: "() { :; }", // a function that a shell exports
    HTTP_PROXY: "http://u:pw@proxy",
    SECRET_KEY: "s",
  };
  expect(inheritedEnvironment(ours, "linux")).toEqual({ PATH: "/bin", HOME: "/home/a" });
});

test("on Windows a child inherits what finds and starts programs there", () => {
  const ours = {
    PATH: "C:\\bin",
    PATHEXT: ".EXE;.CMD",
    COMSPEC: "cmd.exe",
    PROGRAMDATA: "C:\\ProgramData",
    SYSTEMROOT: "C:\\Windows",
    SECRET_KEY: "s",
  };
  const { SECRET_KEY: _secret, ...needed } = ours;
  expect(inheritedEnvironment(ours, "win32")).toEqual(needed);
});

test("P9: in a sandbox a child has PATH, and proxies only where it has the network", () => {
  const inherited = { PATH: "/bin", HOME: "/home/a", USER: "a", HTTPS_PROXY: "http://proxy" };
  expect(environmentInSandbox(inherited, {})).toEqual({ PATH: "/bin" });
  expect(environmentInSandbox(inherited, { network: "inherit" })).toEqual({
    PATH: "/bin",
    HTTPS_PROXY: "http://proxy",
  });
});

test("on Windows a variable is found whatever its letters, as it is there", () => {
  const ours = { Path: "C:\\bin", SystemRoot: "C:\\Windows", ComSpec: "cmd.exe" };
  expect(inheritedEnvironment(ours, "win32")).toEqual({
    PATH: "C:\\bin",
    SYSTEMROOT: "C:\\Windows",
    COMSPEC: "cmd.exe",
  });
  expect(inheritedEnvironment({ Path: "/bin" }, "linux")).toEqual({});
});

test("a server's own variable goes before the one that it inherits, on Windows in any letters", () => {
  const inherited = { PATH: "C:\\ours", TEMP: "t" };
  expect(joinedEnvironment(inherited, { Path: "D:\\its" }, "win32")).toEqual({
    TEMP: "t",
    Path: "D:\\its",
  });
  expect(joinedEnvironment(inherited, { Path: "x", PATH: "y" }, "linux")).toEqual({
    PATH: "y",
    TEMP: "t",
    Path: "x",
  });
});

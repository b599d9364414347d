import { expect, test } from "vitest";
import { faultOfSandbox } from "./sandbox-settings.ts";

test.each([
  [{}],
  [{ folders: ["."], network: "none" }],
  [{ folders: [{ path: "/srv/a", at: "/data", writable: true }], network: "inherit" }],
  [{ folders: [{ path: "/srv/a", at: "/etc/app" }] }],
  [{ limits: { memoryBytes: 1, cpuSeconds: 1, processes: 1, fileBytes: 1, tmpBytes: 1 } }],
])("the settings %j have no fault", (settings) => {
  expect(faultOfSandbox(settings)).toBeUndefined();
});

test.each([
  [true, "must be an object"],
  [{ folder: ["."] }, 'Unknown key "folder"'],
  [{ folders: "." }, "must be a list"],
  [{ folders: [3] }, "must be a path"],
  [{ folders: [""] }, "must be a path"],
  [{ folders: ["a\u0000b"] }, "must be a path"],
  [{ folders: [{ path: "a", mode: "rw" }] }, 'Unknown key "mode"'],
  [{ folders: [{ path: "a", writable: "yes" }] }, "true or false"],
  [{ folders: [{ path: "a", at: "data" }] }, "an absolute path"],
  [{ folders: [{ path: "a", at: "/data/../etc" }] }, "an absolute path"],
  [{ folders: [{ path: "a", at: "/data/" }] }, "an absolute path"],
  [{ folders: [{ path: "a", at: "/" }] }, "an absolute path"],
  [{ folders: [{ path: "a", at: "/proc/self" }] }, "the sandbox has its own"],
  [{ folders: [{ path: "a", at: "/usr/bin" }] }, "the sandbox has its own"],
  [{ folders: [{ path: "a", at: "/etc" }] }, "the sandbox has its own"],
  [{ network: "all" }, '"none" or "inherit"'],
  [{ network: ["example.com"] }, "is a list of hosts, which is not offered"],
  [{ limits: { memory: 1 } }, 'Unknown key "memory"'],
  [{ limits: { processes: 0 } }, "positive whole number"],
  [{ limits: { cpuSeconds: "9; reboot" } }, "positive whole number"],
])("the settings %j are refused: %s", (settings, fault) => {
  expect(faultOfSandbox(settings)).toContain(fault);
});

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

/** Each run starts some forty clients at once. */
const timeout = 600_000;

test.each([
  ["--requirements", "2025-11-25"],
  ["--requirements", "2026-07-28"],
  ["--suite", "all", "--runner", "0.1.16"],
])(
  "G-T18: our client passes the official conformance suite: %s %s %s %s",
  async (...args) => {
    const folder = fileURLToPath(new URL(".", import.meta.url));
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["conformance/run.ts", ...args],
      {
        cwd: folder,
        timeout,
      },
    ).catch((failed: { readonly stdout: string; readonly stderr: string }) => {
      throw new Error(`${failed.stdout}${failed.stderr}`);
    });
    expect(stdout.trim().split("\n").at(-1)).toMatch(/^[1-9]\d+ passed, 0 failed$/);
  },
  timeout,
);

test("a client that does nothing does not pass our gate", async () => {
  const { faultsOf } = await import("./conformance/gate.ts");
  const asked = { kind: "requirements", name: "2025-11-25" } as const;
  const idle = { passed: 0, failed: 0, warnings: 0, failures: [], exitCode: undefined, said: "" };
  const scenarios = [
    { ...idle, scenario: "initialize" },
    { ...idle, scenario: "sep-2640-client-no-prefetch" },
  ];
  const faults = faultsOf(
    { scenarios, isWhole: true, timedOut: false },
    { runner: "0.2.0-alpha.12", asked },
  );
  expect(faults).toContain("initialize passed only 0 checks, and has 1");
  expect(faults).toContain("initialize: our client ended with undefined: ");
  expect(faults).toContain("tools_call did not run");
  expect(faults.join()).not.toContain("sep-2640");
});

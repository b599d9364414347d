import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { createSandbox } from "./create-sandbox.ts";
import { findBubblewrap } from "./find-bubblewrap.ts";

const isLinux = process.platform === "linux";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-bwrap-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** A PATH with a program in the place of bubblewrap. */
async function pathWith(name: string, script: string): Promise<string> {
  const path = await mkdtemp(join(folder, `${name}-`));
  await writeFile(join(path, "bwrap"), `#!/bin/sh\n${script}\n`);
  await chmod(join(path, "bwrap"), 0o755);
  return path;
}

async function refusal(path: string): Promise<ConfigurationError> {
  vi.stubEnv("PATH", path);
  const error = await failureOf(createSandbox());
  return ConfigurationError.is(error) ? error : expect.unreachable(String(error));
}

test.runIf(isLinux)(
  "P9: without bubblewrap there is no sandbox, and it is said what to install",
  async () => {
    const { code, message } = await refusal(folder);
    expect(code).toBe("sandbox-unavailable");
    expect(message).toContain("apt-get install bubblewrap");
    expect(message).toContain("Nothing is run without a sandbox");
  },
);

test.runIf(isLinux)(
  "bubblewrap is not taken from a folder that a PATH names relatively",
  async () => {
    const path = await pathWith("relative", "exit 0");
    const back = process.cwd();
    process.chdir(path);
    try {
      expect(await refusal(".:")).toMatchObject({ code: "sandbox-unavailable" });
    } finally {
      process.chdir(back);
    }
  },
);

test.runIf(isLinux).each([
  ["bwrap: No permissions to create new namespace", "kernel.unprivileged_userns_clone"],
  ["bwrap: setting up uid map: Permission denied", "AppArmor profile"],
  ["bwrap: Can't mount proc on /newroot/proc: Operation not permitted", "systempaths=unconfined"],
  ["bwrap: something else", "Try it by hand"],
])(
  "P9: where bubblewrap says %o there is no sandbox, and it is said what to do",
  async (said, advice) => {
    const path = await pathWith(
      "broken",
      `[ "$1" = --help ] && exit 0\necho "${said}" >&2\nexit 1`,
    );
    const { code, message } = await refusal(path);
    expect(code).toBe("sandbox-unavailable");
    expect(message).toContain(said);
    expect(message).toContain(advice);
  },
);

test.runIf(isLinux)(
  "bubblewrap that is mended meanwhile is found, with the options that it has",
  async () => {
    const script = 'echo "  --size BYTES  Set size"; [ -e "$(dirname "$0")/mended" ]';
    const path = await pathWith("mended", script.replace("$(dirname", "$(/usr/bin/dirname"));
    expect(await refusal(path)).toMatchObject({ code: "sandbox-unavailable" });
    await writeFile(join(path, "mended"), "");
    const found = await findBubblewrap();
    expect(found.program).toBe(join(path, "bwrap"));
    expect([found.has("--size"), found.has("--disable-userns")]).toEqual([true, false]);
  },
);

test.runIf(isLinux)(
  "bubblewrap that cannot bar name spaces, as one that is setuid, is used without",
  async () => {
    const refuse = 'case " $* " in *" --disable-userns "*) [ "$1" = --help ] || exit 1;; esac';
    const path = await pathWith("setuid", `${refuse}\necho "  --disable-userns  x"`);
    vi.stubEnv("PATH", path);
    expect((await findBubblewrap()).has("--disable-userns")).toBe(false);
    const other = await pathWith("plain", 'echo "  --disable-userns  x"');
    vi.stubEnv("PATH", other);
    expect((await findBubblewrap()).has("--disable-userns")).toBe(true);
  },
);

test("what is no option of a sandbox is refused before anything is looked for", async () => {
  // @ts-expect-error: a name that others have for it
  expect(await failureOf(createSandbox({ timeout: 3 }))).toMatchObject({
    code: "invalid-definition",
  });
  expect(await failureOf(createSandbox({ timeoutMs: -1 }))).toMatchObject({
    code: "invalid-configuration",
  });
  expect(await failureOf(createSandbox({ env: { "A=B": "c" } }))).toMatchObject({
    code: "invalid-configuration",
  });
  // @ts-expect-error: hosts are not offered
  expect(await failureOf(createSandbox({ network: ["a.example"] }))).toMatchObject({
    message: expect.stringContaining("not offered"),
  });
});

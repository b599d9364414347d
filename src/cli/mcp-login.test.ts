import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { CliFolder, type CliOutcome, runInProcess } from "../../test/cli-fixture.ts";
import { serve } from "../../test/fixtures/mcp/http-peer.ts";
import { OAuthIssuer } from "../../test/fixtures/mcp/oauth-issuer.ts";
import { serveProtected } from "../../test/fixtures/mcp/oauth-peer.ts";
import { runCli } from "./run-cli.ts";

/** An issuer, a server of it in a file, and a data folder of our own. */
async function workspace(settings: object = {}) {
  const folder = new CliFolder();
  const issuer = await OAuthIssuer.start();
  const server = await serveProtected({ issuer: () => issuer });
  const file = folder.servers({
    desk: { url: server.url, allowInsecureHttp: true, ...settings },
    local: { command: "node" },
    known: { url: server.url, allowInsecureHttp: true, token: "hunter2hunter2" },
  });
  const env = { XDG_DATA_HOME: folder.path };
  return {
    issuer,
    server,
    data: join(folder.path, "dragoman"),
    env,
    run: (...args: readonly string[]): Promise<CliOutcome> =>
      runInProcess(["mcp", ...args, "--mcp", file], { env }),
    /** `login`, with a person who goes to the page as soon as it is shown. */
    async login(...args: readonly string[]) {
      const out = new Text();
      const shown = new Text((text) => {
        const [page] = /http:\/\/\S+\/authorize\?\S+/.exec(text) ?? [];
        if (page !== undefined) {
          void fetch(issuer.grant(page));
        }
      });
      const { signal } = new AbortController();
      const streams = { stdout: out, stderr: shown, env, signal };
      const code = await runCli(["mcp", "login", ...args, "--mcp", file], streams);
      return { code, stdout: out.text, stderr: shown.text };
    },
    async [Symbol.asyncDispose]() {
      folder[Symbol.dispose]();
      await issuer[Symbol.asyncDispose]();
    },
  };
}

class Text extends Writable {
  text = "";
  readonly #onText: (text: string) => void;

  constructor(onText: (text: string) => void = () => {}) {
    super();
    this.#onText = onText;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    this.#onText(chunk.toString());
    done();
  }
}

test("login shows the page, waits for the person, and every other command then has access", async () => {
  await using here = await workspace();
  const before = await here.run("call", "desk", "echo");
  expect(before.code).toBe(2);
  expect(before.stderr).toContain("dragoman mcp login");
  expect(existsSync(here.data)).toBe(false); // nobody has logged in, so that nothing is kept

  const login = await here.login("desk", "--json");
  expect(login.stderr).toContain("Grant access to desk on this page of 127.0.0.1");
  expect(JSON.parse(login.stdout)).toMatchObject({
    ok: true,
    server: "desk",
    issuer: here.issuer.origin,
  });
  expect(login.code).toBe(0);
  expect((await here.run("call", "desk", "echo")).code).toBe(0);
  expect(here.issuer.to("/token")).toHaveLength(1);

  expect((await here.run("logout", "desk")).code).toBe(0);
  expect((await here.run("call", "desk", "echo")).code).toBe(2);
});

test("tokens are kept encrypted, under a key that its owner alone can read, and shown nowhere", async () => {
  await using here = await workspace();
  const { stdout, stderr } = await here.login("desk");
  expect(stdout).toBe("Access to desk was granted.\n");
  const kept = readFileSync(join(here.data, "credentials.json"), "utf8");
  for (const token of here.issuer.tokens.keys()) {
    expect(kept + stdout + stderr).not.toContain(token);
    expect(kept + stdout + stderr).not.toContain(btoa(token));
  }
  if (process.platform !== "win32") {
    const modes = ["credentials.json", "credentials.key"].map(
      (name) => statSync(join(here.data, name)).mode & 0o777,
    );
    expect(modes).toEqual([0o600, 0o600]);
  }
});

test("a key of the environment takes the place of one that is made", async () => {
  await using here = await workspace();
  Object.assign(here.env, { DRAGOMAN_SECRET_KEY: "0123456789abcdef0123456789abcdef" });
  expect((await here.login("desk")).code).toBe(0);
  expect(existsSync(join(here.data, "credentials.key"))).toBe(false);
  Object.assign(here.env, { DRAGOMAN_SECRET_KEY: "another-key-another-key-another" });
  expect((await here.run("call", "desk", "echo")).stderr).toContain(
    "the secret key is another one",
  );
});

test.each([
  ["local", "is a program on this machine"],
  ["known", "has a token already"],
  ["dest", 'Did you mean "desk"?'],
])("to log in to %s is an error that says why", async (name, why) => {
  await using here = await workspace();
  const { code, stderr } = await here.login(name);
  expect(code).toBe(2);
  expect(stderr).toContain(why);
  expect(stderr).not.toContain("hunter2");
});

test("a client whose redirect URI is elsewhere cannot log in from here", async () => {
  await using here = await workspace({
    auth: { type: "oauth", clientId: "desk", redirectUri: "https://app.example/callback" },
  });
  expect((await here.login("desk")).stderr).toContain("is not on this machine");
});

test("to log in to a server that takes everybody is an error that says so", async () => {
  await using here = await workspace({ url: (await serve()).url });
  expect((await here.login("desk")).stderr).toContain("takes requests without any");
});

test("login stops when the person stops it", async () => {
  await using here = await workspace();
  const stop = new AbortController();
  const out = new Text();
  const shown = new Text((text) => {
    if (text.includes("/authorize?")) {
      stop.abort();
    }
  });
  const file = join(here.data, "..", "mcp.json");
  const streams = { stdout: out, stderr: shown, env: here.env, signal: stop.signal };
  expect(await runCli(["mcp", "login", "desk", "--mcp", file], streams)).toBe(2);
  expect(shown.text).toContain("it was stopped before it was done");
});

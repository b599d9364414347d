import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
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

test("logout has the tokens taken back by whoever gave them, and says so", async () => {
  await using here = await workspace();
  await here.login("desk");
  const [token] = here.issuer.tokens.keys();
  const { code, stdout, stderr } = await here.run("logout", "desk");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(
    /^The tokens of desk are removed here, and 127\.0\.0\.1:\d+ has taken them back\.\n$/,
  );
  expect(here.issuer.to("/revoke").map(({ sent }) => sent)).toMatchObject([
    { token: expect.stringMatching(/^refresh-/), token_type_hint: "refresh_token" },
    { token, token_type_hint: "access_token" },
  ]);
  expect(here.issuer.tokens.size).toBe(0);
  const again = await here.run("logout", "desk");
  expect(again).toMatchObject({ code: 0, stdout: "There were no tokens of desk here.\n" });
});

test("tokens that cannot be taken back are removed here all the same, which is told", async () => {
  await using here = await workspace();
  await here.login("desk");
  const [token = ""] = here.issuer.tokens.keys();
  here.issuer.behaviour = {
    intercept: (path, response) => {
      const isMine = path === "/revoke";
      return isMine && response.writeHead(503).end(`{"error":"server_error ${token}"}`) !== null;
    },
  };
  const { code, stdout, stderr } = await here.run("logout", "desk", "--json");
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^error: The tokens of the MCP server "desk" are removed here, but http:\S+ has not taken them back: The revocation at \S+\/revoke failed/,
  );
  expect(JSON.parse(stdout)).toMatchObject({
    ok: false,
    revocation: "failed",
    error: { code: "revocation-failed" },
  });
  expect(stdout + stderr).not.toContain(token);
  expect((await here.run("call", "desk", "echo")).code).toBe(2);
});

test.each([
  ["has no way to take tokens back", undefined, 0, /^$/, /has no way to be told/],
  [
    "says that they are taken back at a place that is not to be asked",
    "http://169.254.169.254/revoke",
    1,
    /revocation_endpoint of .* is not one of https:/,
    /removed here only/,
  ],
])("of an issuer that %s, tokens are removed here", async (_, endpoint, exit, error, said) => {
  await using here = await workspace();
  here.issuer.behaviour = { metadata: { revocation_endpoint: endpoint } };
  await here.login("desk");
  const { code, stdout, stderr } = await here.run("logout", "desk");
  expect(code).toBe(exit);
  expect(stderr).toMatch(error);
  expect(stdout).toMatch(said);
  expect(here.issuer.to("/revoke")).toEqual([]);
  expect((await here.run("call", "desk", "echo")).code).toBe(2);
});

test("a server that cannot take access tokens back has done all it can with the refresh token", async () => {
  await using here = await workspace();
  await here.login("desk");
  let asked = 0;
  here.issuer.behaviour = {
    intercept: (path, response) => {
      asked += path === "/revoke" ? 1 : 0;
      if (path !== "/revoke" || asked < 2) {
        return false;
      }
      response.writeHead(400, { "content-type": "application/json" });
      response.end('{"error":"unsupported_token_type"}');
      return true;
    },
  };
  expect(await here.run("logout", "desk")).toMatchObject({ code: 0, stderr: "" });
  expect(asked).toBe(2);
});

/** `login` by a person whose browser is on another machine: what it ends at is pasted. */
async function pasting(
  here: Awaited<ReturnType<typeof workspace>>,
  paste: (back: string, input: PassThrough) => void,
) {
  const input = new PassThrough();
  const stdout = new Text();
  const stderr = new Text((text) => {
    const [page] = /http:\/\/\S+\/authorize\?\S+/.exec(text) ?? [];
    if (page !== undefined) {
      paste(here.issuer.grant(page), input);
    }
  });
  const { signal } = new AbortController();
  const streams = { stdin: input, stdout, stderr, env: here.env, signal };
  const file = join(here.data, "..", "mcp.json");
  const code = await runCli(["mcp", "login", "desk", "--mcp", file], streams);
  return { code, stdout: stdout.text, stderr: stderr.text, input };
}

test("where the browser is on another machine, the address at which it ends is pasted", async () => {
  await using here = await workspace();
  const { code, stdout, stderr } = await pasting(here, (back, input) => input.write(`${back}\n`));
  expect({ code, stdout }).toEqual({ code: 0, stdout: "Access to desk was granted.\n" });
  expect(stderr).toMatch(
    /begins with http:\/\/127\.0\.0\.1:\d+\/callback: paste that address here\.$/m,
  );
  expect((await here.run("call", "desk", "echo")).code).toBe(0);
});

test("what stands behind the question mark is enough; whatever else is written is turned away in words", async () => {
  await using here = await workspace();
  const { code, stderr, input } = await pasting(here, (back, to) => {
    const { search } = new URL(back);
    const other = back.replace(/state=[^&]+/, "state=another-0000");
    to.write(`hello\n\nhttps://else.example/?code=hunter2\n${other}\n  ${search}  \n`);
  });
  expect(code).toBe(0);
  expect(stderr.match(/^That is not it: .* Copy all of it/gm)).toHaveLength(2);
  expect(stderr.match(/^That is the answer to another question/gm)).toHaveLength(1);
  expect(stderr).not.toMatch(/hunter2|another-0000|code-/);
  expect(input.listenerCount("data")).toBe(0);
});

test("an answer that says no ends the login, also where it is pasted", async () => {
  await using here = await workspace();
  const denied = (back: string, input: PassThrough): void => {
    const url = new URL(back);
    url.searchParams.delete("code");
    url.searchParams.set("error", "access_denied");
    input.write(`${url.href}\n`);
  };
  const { code, stderr } = await pasting(here, denied);
  expect(code).toBe(2);
  expect(stderr).toContain("access_denied");
});

test("the browser of this machine is waited for, also where the input has ended", async () => {
  await using here = await workspace();
  const { code } = await pasting(here, (back, input) => {
    input.end();
    void fetch(back);
  });
  expect(code).toBe(0);
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

test("the process ends once the browser has answered, though its input stays open", async () => {
  await using here = await workspace();
  const args = ["mcp", "login", "desk", "--mcp", join(here.data, "..", "mcp.json")];
  const main = fileURLToPath(new URL("main.ts", import.meta.url));
  const env = { ...here.env, NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] };
  const child = spawn(process.execPath, [main, ...args], { env, stdio: "pipe" });
  try {
    const ended = once(child, "exit");
    let shown = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      shown += text;
      const [page] = /http:\/\/\S+\/authorize\?\S+\n/.exec(shown) ?? [];
      if (page !== undefined) {
        shown = "";
        void fetch(here.issuer.grant(page.trim()));
      }
    });
    expect(await ended).toEqual([0, null]);
  } finally {
    child.kill("SIGKILL");
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

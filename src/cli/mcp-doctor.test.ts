import { chmodSync, mkdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { createCertificate } from "../../test/certificate.ts";
import { CliFolder, runInProcess } from "../../test/cli-fixture.ts";
import { startFakeHttpServer } from "../../test/fixtures/mcp/fake-http-server.ts";
import type { StdioBehaviour } from "../../test/fixtures/mcp/fake-stdio-server.ts";
import { fakeStdio } from "../../test/fixtures/mcp/servers.ts";
import { startHttps } from "../../test/loopback.ts";
import type { Finding } from "./finding.ts";

interface Diagnosis {
  readonly code: number;
  readonly findings: readonly Finding[];
  readonly stdout: string;
}

async function diagnose(
  servers: Readonly<Record<string, unknown>>,
  {
    env,
    flags = [],
  }: {
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly flags?: readonly string[];
  } = {},
): Promise<Diagnosis> {
  using folder = new CliFolder();
  const args = ["mcp", "doctor", "--mcp", folder.servers(servers), "--json", ...flags];
  const { code, stdout } = await runInProcess(args, env === undefined ? {} : { env });
  const document = JSON.parse(stdout) as {
    readonly servers: readonly { readonly findings: readonly Finding[] }[];
    readonly findings: readonly Finding[];
  };
  const findings = [...document.servers.flatMap((server) => server.findings), ...document.findings];
  for (const { message, advice } of findings) {
    expect(message).not.toBe("");
    expect(advice).not.toBe("");
  }
  return { code, findings, stdout };
}

const codesOf = ({ findings }: Diagnosis): readonly string[] => findings.map(({ code }) => code);

test("a healthy server has no findings, and the exit code is 0", async () => {
  const { code, findings } = await diagnose({ fake: fakeStdio() });
  expect({ code, findings }).toEqual({ code: 0, findings: [] });
});

test("people read what is wrong, what shows it and what to do", async () => {
  using folder = new CliFolder();
  const file = folder.servers({
    fake: fakeStdio({ exitCode: 3, stderr: "Cannot find module 'x'" }),
  });
  const { code, stdout } = await runInProcess(["mcp", "doctor", "--mcp", file]);
  expect(code).toBe(2);
  expect(stdout).toMatch(/^✗ fake$/m);
  expect(stdout).toMatch(/^ {2}error module-missing: .*exit code 3/m);
  expect(stdout).toMatch(/^ {4}\| .*Cannot find module 'x'/m);
  expect(stdout).toMatch(/^ {4}→ .*args/m);
  expect(stdout).toMatch(/1 server\(s\): 1 error\(s\), 0 warning\(s\)\n$/);
});

test("one server of a file can be looked at alone", async () => {
  const servers = { fake: fakeStdio(), broken: { command: "there-is-no-such-program" } };
  expect((await diagnose(servers, { flags: ["fake"] })).code).toBe(0);
});

const program = "#!/bin/sh\nexit 0\n";

test("a command that is not there: a close name, where it was looked for, where else it is", async () => {
  using folder = new CliFolder();
  chmodSync(folder.file("filesrv", program), 0o755);
  const misspelt = await diagnose({ a: { command: "filesvr", env: { PATH: folder.path } } });
  expect(misspelt.findings).toMatchObject([
    {
      severity: "error",
      code: "command-not-found",
      message: expect.stringContaining("PATH that its env sets"),
      evidence: [expect.stringContaining(folder.path)],
      advice: expect.stringContaining('Did you mean "filesrv"?'),
    },
  ]);
  const together = await diagnose({ a: { command: "npx -y some-server" } });
  expect(together.findings[0]?.advice).toContain('"command": "npx", "args": ["-y","some-server"]');
});

test("a command that may not be executed, and a folder that is not there", async () => {
  using folder = new CliFolder();
  const file = folder.file("server.sh", program);
  expect(codesOf(await diagnose({ a: { command: file } }))).toEqual(["command-not-executable"]);
  const cwd = join(folder.path, "gone");
  expect(codesOf(await diagnose({ a: { ...fakeStdio(), cwd } }))).toEqual(["folder-missing"]);
  mkdirSync(cwd);
  expect(codesOf(await diagnose({ a: { ...fakeStdio(), cwd } }))).toEqual([]);
});

test.runIf(process.platform === "linux")(
  "P9: a sandbox that cannot be made is told with what to install, and the server is not started",
  async () => {
    vi.stubEnv("PATH", "/nowhere");
    const { findings } = await diagnose({ a: { ...fakeStdio(), sandbox: true } });
    expect(findings).toMatchObject([
      {
        severity: "error",
        code: "sandbox-unavailable",
        message: expect.stringContaining("apt-get install bubblewrap"),
      },
    ]);
  },
);

test.each<[string, string, RegExp]>([
  ["module-missing", "ModuleNotFoundError: No module named 'mcp'", /install what it depends on/],
  ["variable-missing", "Error: GITHUB_TOKEN is required", /"GITHUB_TOKEN": "\$\{GITHUB_TOKEN\}"/],
  ["package-not-found", "npm error 404 Not Found - GET some-servr", /check the spelling/],
  [
    "package-not-installed",
    "npm error npx canceled due to missing packages",
    /"-y" first in "args"/,
  ],
  ["wrong-transport", "Listening on http://localhost:3000", /"url"/],
  ["port-taken", "Error: listen EADDRINUSE: address already in use :::3000", /"url"/],
  ["arguments-refused", "error: unknown option '--stdoi'", /"args"/],
  ["permission-denied", "EACCES: permission denied, open '/x'", /permissions/],
  ["exited", "goodbye", /in a terminal/],
])(
  "a program that ends at once is explained by its last words: %s",
  async (code, stderr, advice) => {
    const { findings } = await diagnose({ fake: fakeStdio({ exitCode: 1, stderr }) });
    expect(findings).toMatchObject([
      { severity: "error", code, advice: expect.stringMatching(advice) },
    ]);
    expect(findings[0]?.evidence.join("\n")).toContain(stderr);
  },
);

test.each<[string, "error" | "warning" | "info", StdioBehaviour]>([
  ["prints-to-stdout", "warning", { banner: "Server ready\n[db] ok\n" }],
  ["no-tools", "warning", { pages: { "": { tools: [] } } }],
  ["old-revision", "info", { initialize: { protocolVersion: "2024-11-05" } }],
  ["unknown-revision", "error", { initialize: { protocolVersion: "1999-01-01" } }],
  ["mcp-tool-malformed", "warning", { pages: { "": { tools: [{ name: "bare" }, good("ok")] } } }],
  ["mcp-tool-changed", "warning", { pages: { "": { tools: [good("ok", "A\u202e")] } } }],
  ["tool-name-odd", "warning", { pages: { "": { tools: [good("検索")] } } }],
  ["mcp-tool-look-alike", "warning", { pages: { "": { tools: [good("s\u0435nd")] } } }], // Cyrillic
  ["many-tools", "info", { pages: { "": { tools: manyTools() } } }],
])("what is odd about a server: %s", async (code, severity, behaviour) => {
  const { findings } = await diagnose({ fake: fakeStdio(behaviour) });
  expect(findings).toContainEqual(expect.objectContaining({ code, severity }));
});

function good(name: string, description = "Good."): object {
  return { name, description, inputSchema: { type: "object" } };
}

function manyTools(): readonly object[] {
  return Array.from({ length: 100 }, (_unused, index) => good(`tool-${index}`, "x".repeat(500)));
}

test("a server that is slow to start is told from one that is dead, and how much time it needs", async () => {
  const slow = await diagnose({ fake: { ...fakeStdio(), timeoutMs: 1 } });
  expect(slow.findings).toMatchObject([
    { severity: "error", code: "slow-start", advice: expect.stringMatching(/"timeoutMs": \d+000/) },
  ]);
  const dead = await diagnose(
    { fake: { ...fakeStdio({ silent: true }), timeoutMs: 50 } },
    { flags: ["--timeout", "0.05"] },
  );
  expect(dead.findings).toMatchObject([{ severity: "error", code: "timeout" }]);
});

test("faults of the file have their line, and a kind", async () => {
  const { code, findings } = await diagnose({
    variable: { command: "node", env: { KEY: `\${NOT_SET_HERE}` } },
    type: { type: "stdoi", command: "node" },
    plain: { url: "http://mcp.example/mcp" },
    key: { comand: "node" },
  });
  expect(code).toBe(2);
  expect(findings.map(({ code: kind }) => kind)).toEqual([
    "variable-missing",
    "transport-type-unknown",
    "plain-http-refused",
    "key-unknown",
  ]);
  expect(findings[1]?.message).toMatch(/mcp\.json:\d+: .*Did you mean "stdio"\?/);
});

test("values that somebody forgot to fill in, secrets in the wrong place, and packages without a version", async () => {
  const { findings, stdout } = await diagnose({
    fake: { ...fakeStdio(), env: { EMPTY: "", API_KEY: "<your-api-key>" } },
    npx: {
      command: "npx",
      args: ["-y", "some-server", "--token", "hush-hush-hush"],
      env: { PATH: "/nowhere" },
    },
  });
  expect(findings.map(({ code }) => code)).toEqual([
    "value-empty",
    "value-placeholder",
    "command-not-found",
    "secret-in-arguments",
    "package-unpinned",
  ]);
  expect(stdout).not.toContain("hush-hush-hush");
});

test.each<[number, string, RegExp]>([
  [401, "unauthorized", /"token" or "headers"/],
  [403, "forbidden", /scope/],
  [404, "not-found", /path of the URL/],
  [405, "wrong-endpoint", /"type"/],
  [429, "too-many-requests", /Wait/],
  [500, "server-error", /log/],
])("HTTP %i is %s", async (status, code, advice) => {
  await using peer = await startPeer(status);
  const { findings } = await diagnose(
    {
      remote: { url: peer.url, token: "hush-hush-hush", allowInsecureHttp: true },
    },
    { flags: ["--timeout", "5"] },
  );
  expect(findings).toMatchObject([
    { severity: "error", code, advice: expect.stringMatching(advice) },
  ]);
});

test("where a server's users sign in, the doctor says how", async () => {
  await using peer = await startPeer(401);
  const { code, findings } = await diagnose({
    remote: { url: peer.url, allowInsecureHttp: true },
  });
  expect(code).toBe(2);
  expect(findings).toMatchObject([
    { code: "unauthorized", advice: expect.stringContaining("dragoman mcp login remote") },
  ]);
});

async function startPeer(status: number): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((_request, response) => response.writeHead(status).end("no"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // a TCP server's address is an object
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("a wrong path or transport: where the server does answer is found out", async () => {
  const server = await startFakeHttpServer({
    intercept: ({ url }, response) => {
      if (url === "/mcp") {
        return false;
      }
      response.writeHead(404).end();
      return true;
    },
  });
  const origin = new URL(server.url).origin;
  try {
    for (const broken of [
      { url: origin },
      { type: "sse", url: server.url },
      { type: "ws", url: server.url.replace("http", "ws") },
    ]) {
      const { findings } = await diagnose({ remote: { ...broken, allowInsecureHttp: true } });
      expect(findings[0]?.severity).toBe("error");
      expect(findings).toContainEqual(
        expect.objectContaining({
          code: "found-elsewhere",
          advice: `Write "type": "streamable-http" and "url": "${server.url}".`,
        }),
      );
    }
  } finally {
    await server.close();
  }
});

test("a certificate that cannot be trusted, a port without TLS, a port where nothing listens", async () => {
  await using secure = await startHttps(await createCertificate(), (_request, response) => {
    response.end();
  });
  const { findings } = await diagnose({ remote: { url: `${secure.origin}/mcp` } });
  expect(findings).toMatchObject([
    { code: "certificate", advice: expect.stringContaining('"ca"') },
  ]);
  await using plain = await startPeer(200);
  const tls = await diagnose({ remote: { url: plain.url.replace("http:", "https:") } });
  expect(codesOf(tls)).toEqual(["not-tls"]);
  const nothing = await diagnose(
    { remote: { url: "https://127.0.0.1:1/mcp" } },
    { env: { HTTPS_PROXY: "http://user:hush-hush@proxy.invalid" } },
  );
  expect(codesOf(nothing)).toEqual(["refused", "proxy-not-used"]);
  expect(nothing.stdout).not.toContain("hush-hush");
});

test("names of tools that collide across servers, and servers of one name", async () => {
  const both = {
    a: fakeStdio({ pages: { "": { tools: [good("send-mail")] } } }),
    b: fakeStdio({ pages: { "": { tools: [good("send_mail")] } } }),
  };
  const { code, findings } = await diagnose(both);
  expect(code).toBe(0);
  expect(findings).toMatchObject([
    { code: "tool-names-collide", evidence: ["a: send-mail / b: send_mail"] },
  ]);
  using folder = new CliFolder();
  const files = ["one.json", "two.json"].map((name) =>
    folder.file(name, { mcpServers: { same: { command: "there-is-no-such-program" } } }),
  );
  const { stdout } = await runInProcess([
    "mcp",
    "doctor",
    "--json",
    ...files.flatMap((file) => ["--mcp", file]),
  ]);
  expect(stdout).toContain('"server-name-taken"');
});

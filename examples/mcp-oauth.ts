import { createHash, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineAgent } from "dragoman";
import { EncryptedFileStore } from "dragoman/credentials";
import { McpAuthorization, McpClient, mcpToolset } from "dragoman/mcp";

// Stands for an MCP server that wants tokens, and for the authorisation server that gives them.
const asked = new Map<string, string>();
const tokens = new Map<string, string>();

const metadata = (path: string): object | undefined => {
  switch (path) {
    case "/.well-known/oauth-protected-resource/mcp":
      return { resource: url, authorization_servers: [origin] };
    case "/.well-known/oauth-authorization-server":
      return {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        code_challenge_methods_supported: ["S256"],
      };
    case "/register":
      return { client_id: "client-1" };
    default:
      return undefined;
  }
};

const pageAfterConsent = (question: URLSearchParams): string => {
  const back = new URL(question.get("redirect_uri") ?? "");
  const code = randomUUID();
  asked.set(code, question.get("code_challenge") ?? "");
  back.searchParams.set("code", code);
  back.searchParams.set("state", question.get("state") ?? "");
  return back.href;
};

const tokenFor = (sent: URLSearchParams): object => {
  const verifier = sent.get("code_verifier") ?? "";
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  if (asked.get(sent.get("code") ?? "") !== challenge) {
    return { error: "invalid_grant" };
  }
  const token = `token-${tokens.size + 1}`;
  tokens.set(`Bearer ${token}`, token);
  return { access_token: token, token_type: "Bearer" };
};

const mcpAnswer = (body: string, token: string): object => {
  const { id, method } = JSON.parse(body || "{}");
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "desk", version: "1.0.0" },
    },
    "tools/list": { tools: [{ name: "open_tickets", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: `3 open tickets, seen with ${token}` }] },
  };
  return { jsonrpc: "2.0", id, result: results[method] };
};

const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) {
    body += String(chunk);
  }
  const { pathname, searchParams } = new URL(request.url ?? "", origin);
  const token = tokens.get(request.headers.authorization ?? "");
  const document = pathname === "/token" ? tokenFor(new URLSearchParams(body)) : metadata(pathname);
  response.setHeader("content-type", "application/json");
  if (pathname === "/authorize") {
    response.writeHead(302, { location: pageAfterConsent(searchParams) }).end();
  } else if (document !== undefined) {
    response.writeHead(pathname === "/register" ? 201 : 200).end(JSON.stringify(document));
  } else if (token === undefined) {
    response.writeHead(401, { "www-authenticate": "Bearer" }).end();
  } else {
    response.end(JSON.stringify(mcpAnswer(body, token)));
  }
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const { port } = server.address() as { port: number };
const origin = `http://127.0.0.1:${port}`;
const url = `${origin}/mcp`;

// Stands for a person who grants access in their browser, and is then sent back.
const atTheBrowser = async (page: string): Promise<string> => {
  const response = await fetch(page, { redirect: "manual" });
  return response.headers.get("location") ?? "";
};
const openBrowser = async (page: string): Promise<void> => {
  await fetch(page);
};

const local = new McpClient({
  name: "desk",
  transport: {
    type: "http",
    url,
    auth: {
      type: "oauth",
      onAuthorizationUrl: ({ url, issuer }) => {
        console.log(`Grant access at ${new URL(issuer).host}`);
        return openBrowser(url);
      },
    },
    allowInsecureHttp: true, // only because this example's server has no certificate
  },
});
await local.connect();
console.log((await local.callTool("open_tickets")).content);
await local.disconnect();

const folder = await mkdtemp(join(tmpdir(), "dragoman-"));
const path = join(folder, "credentials");
const secretKey = process.env["DRAGOMAN_SECRET_KEY"] ?? "only for this example";

const desk = {
  name: "desk",
  transport: {
    type: "http",
    url,
    auth: { type: "oauth", store: new EncryptedFileStore({ path, secretKey }) },
    allowInsecureHttp: true,
  },
} as const;

// In the request in which ann wants to connect her desk:
const redirectUri = "https://app.example/callback";
const question = await new McpAuthorization(desk, { actor: "ann" }).start({ redirectUri });
const cameBackTo = await atTheBrowser(question.url);

// In the request that she comes back with:
await new McpAuthorization(desk, { actor: "ann" }).finish(cameBackTo);

const agent = defineAgent({ name: "support", model: "offline", mcp: [mcpToolset(desk)] });
for (const actor of ["ann", "bob"]) {
  const result = await agent.ask("How many open tickets are there?", { actor });
  const [failed] = result.failedServers;
  console.log(actor, failed === undefined ? result.text : failed.error.message);
}

await rm(folder, { recursive: true });
server.close();

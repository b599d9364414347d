import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDragoman, defineTool } from "dragoman";
import { Credentials, EncryptedFileStore } from "dragoman/credentials";
import { httpClientFor } from "dragoman/http";

// Stands for an authorisation server and for the API that takes its tokens.
const server = createServer((request, response) => {
  request.resume();
  response.setHeader("content-type", "application/json");
  if (request.url === "/token") {
    response.end('{"access_token":"token-1","token_type":"Bearer","expires_in":3600}');
  } else {
    response.end(JSON.stringify({ open: 3, saw: request.headers.authorization }));
  }
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const { port } = server.address() as { port: number };
const login = `http://127.0.0.1:${port}`;
const crmUrl = login;

const folder = await mkdtemp(join(tmpdir(), "dragoman-"));
const path = join(folder, "credentials");
const secretKey = process.env["DRAGOMAN_SECRET_KEY"] ?? "only for this example";

const credentials = new Credentials({
  store: new EncryptedFileStore({ path, secretKey }),
  definitions: {
    weather: { kind: "api-key", in: "query", name: "appid", value: "k-123" },
    crm: {
      kind: "oauth2",
      grant: "client-credentials",
      tokenUrl: `${login}/token`,
      clientId: "desk",
      clientSecret: () => "s-123",
      scopes: ["tickets:read"],
      allowInsecureHttp: true, // only because this example's server has no certificate
    },
    calendar: {
      kind: "oauth2",
      grant: "authorization-code",
      authorizationUrl: `${login}/authorize`,
      tokenUrl: `${login}/token`,
      clientId: "desk",
      allowInsecureHttp: true,
    },
  },
});

const openTickets = defineTool({
  name: "open_tickets",
  description: "Count the open tickets.",
  async execute(_input, call) {
    const crm = await call.binding.credential("crm");
    const client = httpClientFor(call, { baseUrl: crmUrl });
    return (await client.get("tickets", { headers: crm.headers, query: crm.query })).json();
  },
});

const dragoman = createDragoman({ credentials });
const agent = dragoman.defineAgent({ name: "desk", model: "offline", tools: [openTickets] });
const result = await agent.ask("Count the open tickets.", { actor: "ann" });
console.log(result.text);

console.log(await credentials.credential("weather")); // [secret], wherever it is printed

const { url } = await credentials.startAuthorization("calendar", {
  actor: "ann",
  redirectUri: "https://desk.example/callback",
});
console.log("send ann to", new URL(url).pathname); // then: credentials.finishAuthorization(back, …)

await rm(folder, { recursive: true });
server.close();

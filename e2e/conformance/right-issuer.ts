import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

const metadata = "/.well-known/oauth-authorization-server";

/**
 * Stands before a mock of runner 0.1.16 whose authorisation server names itself otherwise than by the
 * address of its metadata, which RFC 8414 forbids and our client therefore refuses (the mock of 0.2 is
 * right). Only that name is set right; all else passes as it is.
 */
export async function withRightIssuer(url: string): Promise<{ url: string; server: Server }> {
  const { origin, pathname } = new URL(url);
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk as Buffer);
    }
    const { host: _ours, connection: _hop, ...headers } = request.headers;
    const answer = await fetch(`${origin}${request.url}`, {
      method: request.method ?? "GET",
      headers: headers as Record<string, string>,
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    });
    const text = await answer.text();
    const isMetadata = request.url === metadata && answer.ok;
    const body = isMetadata ? JSON.stringify({ ...JSON.parse(text), issuer: own() }) : text;
    const kept = ["content-type", "www-authenticate", "mcp-session-id"].flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    response.writeHead(answer.status, Object.fromEntries(kept)).end(body);
  });
  const own = (): string => `http://localhost:${(server.address() as AddressInfo).port}`;
  server.listen(0, "localhost");
  await once(server, "listening");
  return { url: `${own()}${pathname}`, server };
}

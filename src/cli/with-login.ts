import type { CredentialStore } from "../base/credential-store.ts";
import type { McpServerConfig, McpTransport } from "../tool/mcp-server-config.ts";

/**
 * A server as the command line uses it: with what `dragoman mcp login` got for it, unless the
 * configuration says by itself who we are.
 */
export function withLogin(config: McpServerConfig, store: CredentialStore): McpServerConfig {
  return { ...config, transport: transportWithLogin(config.transport, store) };
}

function transportWithLogin(transport: McpTransport, store: CredentialStore): McpTransport {
  if (transport.type === "stdio") {
    return transport;
  }
  const { auth, token, headers = {}, url } = transport;
  if (auth !== undefined) {
    return "type" in auth ? { ...transport, auth: { store, ...auth } } : transport;
  }
  const isKnown =
    token !== undefined ||
    new URL(url).username !== "" ||
    Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
  return isKnown ? transport : { ...transport, auth: { type: "oauth", store } };
}

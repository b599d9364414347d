import type { JsonObject } from "../../src/base/json.ts";
import type { AssertionRequest, AuthorizationUrl, McpOAuth } from "../../src/tool/mcp-oauth.ts";

/** Where the suite's metadata of a client stands; its mocks know it and never fetch it. */
const clientMetadataUrl = "https://conformance-test.local/client-metadata.json";

/** How a scenario's client has access: what an application would put into its configuration. */
export function accessFor(scenario: string, context: JsonObject): McpOAuth {
  const text = (key: string): string => String(context[key]);
  const common = {
    type: "oauth" as const,
    redirectUri: "http://localhost:3000/callback",
    onAuthorizationUrl: consent,
    clientMetadataUrl,
  };
  switch (scenario.replace(/^auth\//, "")) {
    case "pre-registration":
      return { ...common, clientId: text("client_id"), clientSecret: text("client_secret") };
    case "client-credentials-basic":
      return {
        type: "oauth",
        grant: "client-credentials",
        clientId: text("client_id"),
        clientSecret: text("client_secret"),
      };
    case "client-credentials-jwt":
      return {
        type: "oauth",
        grant: "client-credentials",
        clientId: text("client_id"),
        privateKey: text("private_key_pem"),
      };
    case "dpop":
    case "dpop-nonce":
      return { ...common, dpop: true };
    case "wif-jwt-bearer":
      return {
        type: "oauth",
        grant: "jwt-bearer",
        clientId: text("client_id"),
        assertion: () => text("valid_jwt"),
      };
    case "enterprise-managed-authorization":
    case "cross-app-access-complete-flow":
      return {
        type: "oauth",
        grant: "jwt-bearer",
        clientId: text("client_id"),
        clientSecret: text("client_secret"),
        assertion: (request) => exchangeIdentity(request, text),
      };
    default:
      return common;
  }
}

/** The person's browser, in which they say yes at once: where it is sent back to is not fetched. */
async function consent({ url }: AuthorizationUrl): Promise<string> {
  const response = await fetch(url, { redirect: "manual" });
  const location = response.headers.get("location");
  if (location === null) {
    throw new Error(`The page for access answered HTTP ${response.status} without a way back.`);
  }
  return new URL(location, url).href;
}

/** The company's identity provider makes of who somebody is what they may have (SEP-990). */
async function exchangeIdentity(
  { issuer, resource }: AssertionRequest,
  text: (key: string) => string,
): Promise<string> {
  const response = await fetch(text("idp_token_endpoint"), {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      requested_token_type: "urn:ietf:params:oauth:token-type:id-jag",
      audience: issuer,
      resource,
      subject_token: text("idp_id_token"),
      subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
      client_id: text("idp_client_id"),
    }),
  });
  const { access_token: granted } = (await response.json()) as { readonly access_token: string };
  return granted;
}

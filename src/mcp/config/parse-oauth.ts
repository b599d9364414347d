import type { CredentialStore } from "../../base/credential-store.ts";
import { Secret } from "../../base/secret.ts";
import type { SecretValue } from "../../base/secret-value.ts";
import { toAddressBlock } from "../../http/public-address.ts";
import type { McpOAuth } from "../../tool/mcp-oauth.ts";
import {
  ConfigFault,
  type ConfigPath,
  type Fields,
  fieldsAt,
  optionalFlag,
  optionalFunction,
  optionalText,
  optionalTexts,
  refuseUnknownKeys,
} from "../wire/config-shape.ts";

/** Every setting, so that the compiler misses none here. */
const names: Readonly<Record<keyof McpOAuth, true>> = {
  type: true,
  grant: true,
  clientId: true,
  clientSecret: true,
  privateKey: true,
  privateKeyId: true,
  clientAuthentication: true,
  issuer: true,
  clientMetadataUrl: true,
  clientName: true,
  scopes: true,
  assertion: true,
  dpop: true,
  redirectUri: true,
  onAuthorizationUrl: true,
  allow: true,
  store: true,
};

const grants = ["authorization-code", "client-credentials", "jwt-bearer"] as const;
const authentications = ["basic", "post", "private-key-jwt"] as const;

/** The `auth` of a transport where it is OAuth. Throws a {@link ConfigFault}. */
export function toOAuth(fields: Fields, path: ConfigPath, allowInsecure: boolean): McpOAuth {
  const at = { path, what: `"auth"` };
  if (fields["type"] !== "oauth") {
    throw new ConfigFault([...path, "type"], `"type" of "auth" must be "oauth".`);
  }
  refuseUnknownKeys(fields, Object.keys(names), at);
  const text = (key: keyof McpOAuth): string | undefined => optionalText(fields, key, path);
  const settings = {
    type: "oauth" as const,
    grant: oneOf(fields, "grant", grants, path),
    clientId: text("clientId"),
    clientSecret: optionalSecret(fields, "clientSecret", path),
    privateKey: optionalSecret(fields, "privateKey", path),
    privateKeyId: text("privateKeyId"),
    clientAuthentication: oneOf(fields, "clientAuthentication", authentications, path),
    issuer: optionalUrl(fields, "issuer", path, allowInsecure),
    clientMetadataUrl: optionalUrl(fields, "clientMetadataUrl", path, false),
    clientName: text("clientName"),
    scopes: optionalTexts(fields, "scopes", path),
    assertion: optionalFunction<NonNullable<McpOAuth["assertion"]>>(fields, "assertion", path),
    dpop: optionalFlag(fields, "dpop", path),
    redirectUri: toRedirectUri(text("redirectUri"), [...path, "redirectUri"]),
    onAuthorizationUrl: optionalFunction<NonNullable<McpOAuth["onAuthorizationUrl"]>>(
      fields,
      "onAuthorizationUrl",
      path,
    ),
    allow: toAllow(fields["allow"], [...path, "allow"]),
    store: toStore(fields["store"], [...path, "store"]),
  };
  checkTogether(settings, path);
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as unknown as McpOAuth; // fewer keys; those that are left are defined
}

type Settings = { readonly [Key in keyof McpOAuth]: McpOAuth[Key] | undefined };

/** What one setting demands of another. */
function checkTogether(settings: Settings, path: ConfigPath): void {
  const { grant, clientId, clientSecret, privateKey, assertion, clientMetadataUrl } = settings;
  const fault = (key: keyof McpOAuth, message: string): never => {
    throw new ConfigFault([...path, key], message);
  };
  if (clientId === undefined && clientSecret !== undefined) {
    fault("clientSecret", `A "clientSecret" needs the "clientId" that it belongs to.`);
  }
  if (clientId === undefined && clientMetadataUrl === undefined && privateKey !== undefined) {
    fault(
      "privateKey",
      `A "privateKey" needs the "clientId" or "clientMetadataUrl" of its client.`,
    );
  }
  if (clientSecret !== undefined && privateKey !== undefined) {
    fault("privateKey", `There is both a "clientSecret" and a "privateKey". Give one of them.`);
  }
  if (grant === "client-credentials" && clientId === undefined) {
    fault("grant", `The grant "client-credentials" needs a "clientId".`);
  }
  if (grant === "client-credentials" && clientSecret === undefined && privateKey === undefined) {
    fault("grant", `The grant "client-credentials" needs a "clientSecret" or a "privateKey".`);
  }
  if (grant === "jwt-bearer" && (assertion === undefined || clientId === undefined)) {
    fault("grant", `The grant "jwt-bearer" needs a "clientId" and an "assertion".`);
  }
}

function oneOf<Choice extends string>(
  fields: Fields,
  key: string,
  choices: readonly Choice[],
  path: ConfigPath,
): Choice | undefined {
  const text = optionalText(fields, key, path);
  const found = choices.find((choice) => choice === text);
  if (text !== undefined && found === undefined) {
    const allowed = choices.map((choice) => `"${choice}"`).join(", ");
    throw new ConfigFault([...path, key], `"${key}" must be one of ${allowed}.`);
  }
  return found;
}

function optionalSecret(fields: Fields, key: string, path: ConfigPath): SecretValue | undefined {
  const value = fields[key];
  return value instanceof Secret || typeof value === "function"
    ? (value as SecretValue) // of a function no more can be checked
    : optionalText(fields, key, path);
}

function optionalUrl(
  fields: Fields,
  key: string,
  path: ConfigPath,
  allowInsecure: boolean,
): string | undefined {
  const text = optionalText(fields, key, path);
  const protocol = text === undefined ? "https:" : URL.parse(text)?.protocol;
  if (protocol !== "https:" && !(allowInsecure && protocol === "http:")) {
    throw new ConfigFault([...path, key], `"${key}" must be a whole https: URL.`);
  }
  return text;
}

function toRedirectUri(text: string | undefined, path: ConfigPath): string | undefined {
  const url = text === undefined ? undefined : URL.parse(text);
  const isLoopback = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url?.hostname ?? "");
  if (url === null || url?.hash || (url?.protocol === "http:" && !isLoopback)) {
    throw new ConfigFault(
      path,
      `"redirectUri" must be an https: URL without a fragment, a loopback http: URL, or one of a scheme of your own.`,
    );
  }
  return text;
}

function toAllow(value: unknown, path: ConfigPath): McpOAuth["allow"] {
  if (value === undefined) {
    return undefined;
  }
  if (!Array.isArray(value)) {
    throw new ConfigFault(path, `"allow" must be a list of { host, port, cidr }.`);
  }
  return value.map((item: unknown, index) => toRule(item, [...path, index]));
}

function toRule(value: unknown, path: ConfigPath): NonNullable<McpOAuth["allow"]>[number] {
  const fields = fieldsAt(value, path, `A rule of "allow"`);
  refuseUnknownKeys(fields, ["host", "port", "cidr"], { path, what: `a rule of "allow"` });
  const { port } = fields;
  const host = optionalText(fields, "host", path);
  const cidr = optionalText(fields, "cidr", path);
  const isPort = typeof port === "number" && Number.isInteger(port) && port > 0 && port < 65_536;
  if ((port !== undefined && !isPort) || (host ?? cidr ?? port) === undefined) {
    throw new ConfigFault(path, `A rule of "allow" needs a "host", a "port" number or a "cidr".`);
  }
  if (cidr !== undefined && !isBlock(cidr)) {
    throw new ConfigFault(
      [...path, "cidr"],
      `"cidr" must be a block of addresses, such as 10.0.0.0/8 or fd00::/8.`,
    );
  }
  return {
    ...(host === undefined ? {} : { host }),
    ...(cidr === undefined ? {} : { cidr }),
    ...(isPort ? { port } : {}),
  };
}

function isBlock(cidr: string): boolean {
  try {
    toAddressBlock(cidr);
    return true;
  } catch {
    return false;
  }
}

function toStore(value: unknown, path: ConfigPath): CredentialStore | undefined {
  const methods = ["read", "write", "delete", "exclusively"];
  const isStore =
    typeof value === "object" &&
    value !== null &&
    methods.every((name) => typeof Reflect.get(value, name) === "function");
  if (value !== undefined && !isStore) {
    throw new ConfigFault(
      path,
      `"store" must be a CredentialStore, such as an EncryptedFileStore.`,
    );
  }
  return value as CredentialStore | undefined; // it has the methods of one
}

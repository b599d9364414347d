import type { CredentialScope } from "./credential.ts";
import { Secret } from "./secret.ts";

/** A secret as it is configured: as it is, or found anew whenever it is needed, for whom it is needed. */
export type SecretValue =
  | string
  | Secret
  | ((scope: CredentialScope) => string | Secret | Promise<string | Secret>);

/** The secret that a configured value stands for now. */
export async function resolveSecret(value: SecretValue, scope: CredentialScope): Promise<Secret> {
  const found = typeof value === "function" ? await value(scope) : value;
  return found instanceof Secret ? found : new Secret(found);
}

export type { CredentialStore } from "../base/credential-store.ts";
export type { SecretValue } from "../base/secret-value.ts";
export type {
  ApiKeyDefinition,
  BasicDefinition,
  BearerDefinition,
  ClientAuthentication,
  CredentialDefinition,
  GoogleServiceAccountDefinition,
  OAuth2Definition,
  OAuthClientDefinition,
  OpenIdConnectDefinition,
} from "./credential-definition.ts";
export { CredentialError, type CredentialErrorCode } from "./credential-error.ts";
export { Credentials, type CredentialsOptions } from "./credentials.ts";
export { EncryptedFileStore, type EncryptedFileStoreOptions } from "./encrypted-file-store.ts";
export { type LoopbackRedirect, openLoopbackRedirect } from "./loopback-redirect.ts";
export { MemoryCredentialStore } from "./memory-credential-store.ts";

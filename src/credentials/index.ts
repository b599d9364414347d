export type {
  ApiKeyDefinition,
  BasicDefinition,
  BearerDefinition,
  CredentialDefinition,
  GoogleServiceAccountDefinition,
  OAuth2Definition,
  OAuthClientDefinition,
  OpenIdConnectDefinition,
  SecretValue,
} from "./credential-definition.ts";
export { CredentialError, type CredentialErrorCode } from "./credential-error.ts";
export type { CredentialStore } from "./credential-store.ts";
export { Credentials, type CredentialsOptions } from "./credentials.ts";
export { EncryptedFileStore, type EncryptedFileStoreOptions } from "./encrypted-file-store.ts";
export { MemoryCredentialStore } from "./memory-credential-store.ts";

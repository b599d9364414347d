import type { Secret } from "./secret.ts";

/** What a credential puts on requests. Printing it shows no secret. */
export interface Credential {
  /** The name that it was asked for by. */
  readonly name: string;
  /** The key, token or password itself. */
  readonly secret: Secret;
  /** To be sent as headers, by lower-case name; an `HttpClient` takes them as they are. */
  readonly headers: Readonly<Record<string, Secret>>;
  /** To be sent as query parameters, likewise. */
  readonly query: Readonly<Record<string, Secret>>;
  /**
   * Another one in place of this, for when the peer has refused it (status 401). Where somebody else
   * has renewed it already, that one is given.
   */
  renew(): Promise<Credential>;
}

/** For whom a credential is wanted. */
export interface CredentialScope {
  /** The authenticated caller of the run; tokens that a person has granted belong to one actor. */
  readonly actor?: string;
  /** Aborting rejects with the signal's reason; what others wait for as well goes on. */
  readonly signal?: AbortSignal;
}

/** Where a run's credentials come from: `Credentials` of `dragoman/credentials` is one. */
export interface CredentialSource {
  /** @throws ConfigurationError where nothing is known by that name. */
  credential(name: string, scope: CredentialScope): Promise<Credential>;
}

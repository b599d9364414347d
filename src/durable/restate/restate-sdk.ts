import { loadPeer } from "../load-peer.ts";

/** What we use of `@restatedev/restate-sdk`. */
export interface RestateSdk {
  object(definition: {
    readonly name: string;
    readonly handlers: {
      readonly execute: (context: RestateContext, message: unknown) => Promise<unknown>;
    };
    readonly options: RestateServiceOptions;
  }): RestateService;
  /** @returns a listener for requests of node:http2 and node:http. */
  createEndpointHandler(options: RestateEndpointOptions): unknown;
  readonly rpc: { sendOpts(options: { readonly delay: number }): unknown };
  readonly CancelledError: abstract new (...given: never[]) => Error;
}

/** The same of `@restatedev/restate-sdk/fetch`. */
export interface RestateFetchSdk extends Omit<RestateSdk, "createEndpointHandler"> {
  createEndpointHandler(options: RestateEndpointOptions): (request: Request) => Promise<Response>;
}

/** A listener for a server of `node:http2`, or of `node:http`; not said in their words, which needed their types. */
export type RestateListener = (request: object, response: object) => void;

/** What we use of the context of a handler. */
export interface RestateContext {
  run<Value>(name: string, action: () => Promise<Value>): PromiseLike<Value>;
  request(): { readonly attemptCompletedSignal: AbortSignal };
  objectSendClient(
    service: { readonly name: string },
    key: string,
  ): Readonly<Record<string, (message: unknown, options: unknown) => unknown>>;
}

/** A service that can be served. */
export interface RestateService {
  name: string;
}

/** Durations are in milliseconds. */
export interface RestateServiceOptions {
  readonly inactivityTimeout: number;
  readonly abortTimeout: number;
  readonly journalRetention: number;
  readonly retryPolicy: {
    readonly initialInterval: number;
    readonly maxInterval: number;
    readonly exponentiationFactor: number;
    readonly onMaxAttempts: "pause";
  };
}

/** How requests of the server's are handled. */
export interface RestateEndpointOptions {
  readonly services: RestateService[];
  readonly identityKeys?: string[];
  readonly bidirectional?: boolean;
  readonly logger: (
    about: { readonly level: string; readonly replaying: boolean },
    message?: unknown,
    ...more: unknown[]
  ) => void;
}

/** @throws ConfigurationError `missing-package`. */
export async function loadRestate(): Promise<RestateSdk> {
  return (await loadPeer("An executor on Restate", "@restatedev/restate-sdk")) as RestateSdk; // e2e compares the two
}

/** @throws ConfigurationError `missing-package`. */
export async function loadRestateFetch(): Promise<RestateFetchSdk> {
  const specifier = "@restatedev/restate-sdk/fetch";
  return (await loadPeer("An executor on Restate", specifier)) as RestateFetchSdk; // e2e compares the two
}

import type { JsonObject } from "../../base/json.ts";
import type { ConnectionOptions } from "../../http/connection-pool.ts";
import type { ModelCapabilities } from "../../model/model.ts";

/** What the models of all providers that are reached over HTTP have in common. */
export interface ProviderOptions extends Pick<ConnectionOptions, "tls" | "proxy"> {
  /** Default: the provider's name, a colon and the model. */
  readonly id?: string;
  /** The provider's name of the model. */
  readonly model: string;
  /** A function is asked for each request. */
  readonly apiKey?: string | (() => string | Promise<string>);
  /** Sent with each request; they win over ours. Their values are kept out of all messages. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether answers are streamed. Default true. */
  readonly stream?: boolean;
  /** What the model can do, where the default is wrong. */
  readonly capabilities?: Partial<ModelCapabilities>;
  /** Fields that are added to each request, or replace ours; `undefined` takes one of ours away. */
  readonly extraBody?: JsonObject;
  /** Allows a credential over `http:` to another machine. Default false. */
  readonly allowInsecureHttp?: boolean;
  /** From the start to a connection. Default 10 000. */
  readonly connectTimeoutMs?: number;
  /** The longest silence of the server. Default 120 000; 600 000 where answers are not streamed. */
  readonly readTimeoutMs?: number;
  /** The longest answer, in bytes. Default 64 MiB. */
  readonly maxResponseBytes?: number;
}

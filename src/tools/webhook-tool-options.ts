import { refuseUnknownKeys } from "../base/check-object.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import type { Json } from "../base/json.ts";
import type { Schema } from "../base/schema.ts";
import { Secret } from "../base/secret.ts";
import type { SecretValue } from "../base/secret-value.ts";
import type { Binding } from "../tool/binding.ts";
import type { WebhookHttpOptions } from "./send-webhook.ts";
import type { WebhookRule } from "./webhook-destination.ts";
import { toWebhookKey } from "./webhook-key.ts";

/** A secret, or the name of a credential that holds it (`configure({ credentials })`). */
export type WebhookSecret = SecretValue | { readonly credential: string };

/** What every webhook tool is made of. */
interface CommonOptions {
  /** 1 to 64 characters of `A-Z a-z 0-9 _ -`. */
  readonly name: string;
  /** What is sent, to whom, and when to send it; the model reads this. */
  readonly description: string;
  readonly title?: string;
  /**
   * What messages are signed with, by Standard Webhooks: base64 of 24 to 64 random bytes, with or without
   * `whsec_`. Several sign each message, so that a receiver can change over from one to another.
   * `"unsigned"` for receivers that check no signatures, whose URL is their secret.
   */
  readonly secret: WebhookSecret | readonly WebhookSecret[] | "unsigned";
  /** The body for a payload, such as an envelope with a type. Default: the payload. */
  readonly toBody?: (payload: Json, scope: { readonly binding: Binding }) => Json | Promise<Json>;
  /** Go with each message; they cannot replace those of Standard Webhooks. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the model reads the start of the receiver's answer, which is a stranger's text. Default false. */
  readonly readsAnswer?: boolean;
  /** Default false: only `https:`. */
  readonly allowInsecureHttp?: boolean;
  /** Address guard (default: public addresses only), times, certificates, tries (default: 3). */
  readonly http?: WebhookHttpOptions;
  /** The longest that one call may take, all tries included. Absent: as long as the run. */
  readonly timeoutMs?: number;
  /** Whether a call whose process has ended is made again by itself. Default: where messages are signed. */
  readonly idempotent?: boolean;
}

/** How {@link webhookTool} is made. */
export type WebhookToolOptions = CommonOptions &
  (
    | {
        /** Where messages go; may be secret, and may depend on who runs. The model neither sees nor chooses it. */
        readonly url: SecretValue | URL;
        /** What the model gives, which is the payload. Default: any object. */
        readonly inputSchema?: Schema;
        readonly allowed?: never;
      }
    | {
        /**
         * The model gives `url` and `payload`, and may send to these: addresses such as
         * `https://hooks.example/team`, with all below it, or a function.
         */
        readonly allowed: readonly string[] | WebhookRule;
        readonly url?: never;
        readonly inputSchema?: never;
      }
  );

/** Every option, so that the compiler misses none here. */
const optionNames: Readonly<Record<keyof CommonOptions | "url" | "allowed" | "inputSchema", true>> =
  {
    name: true,
    description: true,
    title: true,
    secret: true,
    toBody: true,
    headers: true,
    readsAnswer: true,
    allowInsecureHttp: true,
    http: true,
    timeoutMs: true,
    idempotent: true,
    url: true,
    allowed: true,
    inputSchema: true,
  };

/** @throws ConfigurationError where an option is missing or not valid. */
export function checkWebhookToolOptions(options: WebhookToolOptions): void {
  const { name, url, allowed, secret } = options;
  refuseUnknownKeys(options, Object.keys(optionNames), `Webhook tool "${name}"`);
  if ((url === undefined) === (allowed === undefined)) {
    throw invalid(`Webhook tool "${name}" needs either url or allowed: where messages may go.`);
  }
  const isRule = typeof allowed === "function" || (Array.isArray(allowed) && allowed.length > 0);
  if (allowed !== undefined && !isRule) {
    throw invalid(
      `Webhook tool "${name}": allowed must be a list of URLs that is not empty, or a function.`,
    );
  }
  checkSecret(name, secret);
}

function checkSecret(name: string, secret: WebhookToolOptions["secret"] | undefined): void {
  if (secret === undefined || (Array.isArray(secret) && secret.length === 0)) {
    throw invalid(
      `Webhook tool "${name}" needs a secret to sign with; "unsigned" is for receivers that check no signatures.`,
    );
  }
  // What is known already is checked already.
  for (const one of secret === "unsigned" ? [] : listOfSecrets(secret)) {
    if (typeof one === "string" || one instanceof Secret) {
      toWebhookKey(typeof one === "string" ? new Secret(one) : one);
    }
  }
}

/** One secret or several, as a list. */
export const listOfSecrets = (
  secret: WebhookSecret | readonly WebhookSecret[],
): readonly WebhookSecret[] => [secret].flat() as readonly WebhookSecret[]; // flat loses readonly

const invalid = (message: string): ConfigurationError =>
  new ConfigurationError(message, { code: "invalid-definition" });

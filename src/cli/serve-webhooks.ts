import { messageOf } from "../base/dragoman-error.ts";
import { type Environment, expandVariables } from "../mcp/config/expand-variables.ts";
import {
  ConfigFault,
  type ConfigPath,
  type Fields,
  fieldsAt,
  refuseUnknownKeys,
} from "../mcp/wire/config-shape.ts";
import type { ServedWebhook } from "../server/server-options.ts";
import { fencedPayload } from "../server/webhook-payload.ts";
import type { WebhookVerifier } from "../server/webhook-verifier.ts";
import {
  githubWebhooks,
  slackWebhooks,
  standardWebhooks,
  stripeWebhooks,
} from "../server/webhook-verifiers.ts";

/** Makes a verifier for secrets. */
type VerifierMaker = (options: { readonly secret: readonly string[] }) => WebhookVerifier;

const verifiers: Readonly<Record<string, VerifierMaker>> = {
  standard: standardWebhooks,
  github: githubWebhooks,
  stripe: stripeWebhooks,
  slack: slackWebhooks,
};

const keys = ["agent", "verify", "secret", "task", "actor"];

/**
 * The webhooks of a configuration file, by their names. `${NAME}` in secrets is looked up in `env`.
 *
 * @throws ConfigFault that names the place.
 */
export function toWebhooks(
  value: unknown,
  env: Environment,
): Readonly<Record<string, ServedWebhook>> {
  const path = ["webhooks"];
  const entries = value === undefined ? {} : fieldsAt(value, path, "webhooks");
  return Object.fromEntries(
    Object.entries(entries).map(([name, entry]) => [
      name,
      toWebhook(name, entry, { path: [...path, name], env }),
    ]),
  );
}

function toWebhook(
  name: string,
  value: unknown,
  { path, env }: { readonly path: ConfigPath; readonly env: Environment },
): ServedWebhook {
  const fields = fieldsAt(value, path, "a webhook");
  refuseUnknownKeys(fields, keys, { path, what: "the webhook" });
  const agent = textOf(fields, "agent", path);
  const task = textOf(fields, "task", path);
  const actor = textOf(fields, "actor", path);
  const kind = textOf(fields, "verify", path) ?? "standard";
  const make = Object.hasOwn(verifiers, kind) ? verifiers[kind] : undefined;
  if (make === undefined) {
    const known = Object.keys(verifiers).join(", ");
    throw new ConfigFault([...path, "verify"], `It must be one of ${known}.`);
  }
  const options = task === undefined ? {} : { task };
  return {
    verify: verifierOf(make, secretsOf(fields, path, env), path),
    toRun: ({ payload }) => ({
      input: fencedPayload(name, payload, options),
      ...(actor === undefined ? {} : { actor }),
    }),
    ...(agent === undefined ? {} : { agent }),
  };
}

function verifierOf(
  make: VerifierMaker,
  secret: readonly string[],
  path: ConfigPath,
): WebhookVerifier {
  let fault: ConfigFault;
  try {
    return make({ secret });
  } catch (thrown) {
    fault = new ConfigFault([...path, "secret"], messageOf(thrown));
  }
  throw fault;
}

function secretsOf({ secret }: Fields, path: ConfigPath, env: Environment): readonly string[] {
  const place = [...path, "secret"];
  const given = [secret].flat();
  if (given.length === 0 || !given.every((one) => typeof one === "string")) {
    throw new ConfigFault(
      place,
      "It must be the secret that deliveries are signed with, or a list of them; best the name of a variable of the environment.",
    );
  }
  return given.map((one) => String(expandVariables(one, env, place)));
}

function textOf(fields: Fields, key: string, path: ConfigPath): string | undefined {
  const value = fields[key];
  if (value !== undefined && (typeof value !== "string" || value.trim() === "")) {
    throw new ConfigFault([...path, key], "It must be a text.");
  }
  return value;
}

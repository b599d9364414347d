import { ConfigurationError } from "../base/dragoman-error.ts";
import type { Logger } from "../base/logger.ts";
import { createWebhookHandler, type WebhookHandler } from "./create-webhook-handler.ts";
import type { Place, Places } from "./places.ts";
import type { ServedWebhook, ServerOptions } from "./server-options.ts";

/** The webhooks of a server, by their names. */
export class ServedWebhooks {
  readonly #handlers = new Map<string, WebhookHandler>();

  /** @throws ConfigurationError where one asks nobody that is served, or is not valid. */
  constructor(
    places: Places,
    { webhooks = {}, clock }: Pick<ServerOptions, "webhooks" | "clock">,
    logger: Logger,
  ) {
    for (const [name, { agent, ...options }] of Object.entries(webhooks)) {
      const place = placeOf(name, agent, places);
      const { runs, sessions } = place;
      const handler = createWebhookHandler(place.agent, {
        ...options,
        name,
        runs,
        logger,
        statusUrl: (runId) => `/runs/${encodeURIComponent(runId)}`,
        ...(sessions === undefined ? {} : { sessions }),
        ...(clock === undefined ? {} : { clock }),
      });
      this.#handlers.set(name, handler);
    }
  }

  get names(): readonly string[] {
    return [...this.#handlers.keys()];
  }

  find(name: string): WebhookHandler | undefined {
    return this.#handlers.get(name);
  }

  /** Begins no run that waits for its turn. */
  async stop(): Promise<void> {
    await this.#all((handler) => handler.stop());
  }

  /** Fulfilled when no run of theirs goes on, and nobody is being told of an end. */
  async idle(): Promise<void> {
    await this.#all((handler) => handler.idle());
  }

  async close(): Promise<void> {
    await this.#all((handler) => handler.close({ graceMs: 0 }));
  }

  async #all(work: (handler: WebhookHandler) => Promise<void>): Promise<void> {
    await Promise.all([...this.#handlers.values()].map(work));
  }
}

function placeOf(webhook: string, agent: ServedWebhook["agent"], places: Places): Place {
  const [only, ...more] = places.all;
  const place = agent === undefined && more.length === 0 ? only : places.find(agent ?? "");
  if (place === undefined) {
    const names = places.names.map((name) => `"${name}"`).join(", ");
    throw new ConfigurationError(
      `Webhook "${webhook}" must name in agent whom it asks, one of ${names}.`,
      { code: "invalid-configuration" },
    );
  }
  return place;
}

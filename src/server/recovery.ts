import type { Clock } from "../base/clock.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { type LocalExecutor, openLocalExecutor } from "../durable/local-executor.ts";
import type { Places } from "./places.ts";
import type { ServerOptions } from "./server-options.ts";

/** Takes up the runs that an earlier process has left behind, where the server is to. */
export class Recovery {
  readonly #places: Places;
  readonly #options: { readonly recover: ServerOptions["recover"]; readonly clock: Clock };
  #executors: Promise<readonly LocalExecutor[]> | undefined;

  constructor(
    places: Places,
    options: { readonly recover: ServerOptions["recover"]; readonly clock: Clock },
  ) {
    this.#places = places;
    this.#options = options;
  }

  /** @throws ConfigurationError where conversations are not kept; what the stores throw. */
  async start(): Promise<void> {
    this.#executors ??= this.#open();
    await this.#executors;
  }

  /** Leaves its runs to the next process. */
  async close(): Promise<void> {
    const executors = await this.#executors?.catch(() => undefined);
    await Promise.all((executors ?? []).map((executor) => executor[Symbol.asyncDispose]()));
  }

  async #open(): Promise<readonly LocalExecutor[]> {
    const { recover = false, clock } = this.#options;
    if (recover === false) {
      return [];
    }
    const places = this.#places;
    const durable = places.ofRuns.filter(({ isDurable }) => isDurable);
    const forgetful = places.all.find(({ sessions }) => sessions === undefined);
    if (forgetful !== undefined) {
      throw new ConfigurationError(
        `Runs of "${forgetful.agent.name}" cannot be taken up again, because nothing keeps what was said before: a server with recover needs sessions.`,
        { code: "invalid-configuration" },
      );
    }
    return Promise.all(
      durable.map(({ app, runs, runtime }) =>
        openLocalExecutor({
          app,
          store: runs,
          agents: [...places.all, ...places.benches]
            .filter((place) => place.runs === runs && place.app === app)
            .map(({ agent }) => agent),
          logger: runtime.logger,
          clock,
          resumeWith: async (run) => {
            const sessions = places.findRunner(run.agent)?.sessions;
            const given = recover === true ? {} : await recover(run);
            return run.session === undefined
              ? given
              : { session: { id: run.session, ...(sessions && { store: sessions }) }, ...given };
          },
        }),
      ),
    );
  }
}

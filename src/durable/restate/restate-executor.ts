import { consoleLogger, type Logger } from "../../base/logger.ts";
import { EngineExecutor, type EngineExecutorOptions } from "../engine-executor.ts";
import { RestateIngress, type RestateIngressOptions } from "./restate-ingress.ts";
import {
  loadRestate,
  loadRestateFetch,
  type RestateListener,
  type RestateService,
} from "./restate-sdk.ts";
import { restateLogger, runService } from "./run-service.ts";

/** What an executor on Restate works with. */
export interface RestateExecutorOptions extends EngineExecutorOptions {
  /** Where Restate takes what is started and decided: the URL of its ingress, with headers if it wants some. */
  readonly ingress: string | RestateIngressOptions;
  /** The name that Restate knows the runs by; one for each application that shares a Restate. Default `"dragoman"`. */
  readonly service?: string;
  /**
   * Public keys of the Restate whose requests a worker takes, such as `publickeyv1_…`; requests that are
   * not signed with one of them are refused. **Without keys a worker executes for whoever reaches it.**
   */
  readonly identityKeys?: readonly string[];
  /**
   * The longest that a run may go on without waiting for anybody, in milliseconds; then Restate stops it
   * and has it taken up again. Default 24 hours.
   */
  readonly longestExecutionMs?: number;
}

const dayMs = 24 * 60 * 60 * 1_000;

/**
 * Executes runs on [Restate](https://restate.dev): a run whose worker dies is carried on by another one.
 * Needs `@restatedev/restate-sdk` where runs are executed, and a Restate server. What starts, decides and
 * reads needs neither.
 *
 * A process is a worker once it serves {@link RestateExecutor.listener} at an address that is registered
 * with Restate.
 *
 * @throws ConfigurationError where two agents have one name or are of another application, and where the
 *   ingress is no URL.
 */
export function restateExecutor(options: RestateExecutorOptions): RestateExecutor {
  return new RestateExecutor(options);
}

/** See {@link restateExecutor}. */
export class RestateExecutor extends EngineExecutor {
  readonly #app: string;
  readonly #service: string;
  readonly #identityKeys: readonly string[];
  readonly #longestExecutionMs: number;
  readonly #logger: Logger;

  constructor(options: RestateExecutorOptions) {
    const { ingress, service = "dragoman", app = "default" } = options;
    super(
      options,
      new RestateIngress(typeof ingress === "string" ? { url: ingress } : ingress, service),
    );
    this.#app = app;
    this.#service = service;
    this.#identityKeys = options.identityKeys ?? [];
    this.#longestExecutionMs = options.longestExecutionMs ?? dayMs;
    this.#logger = options.logger ?? consoleLogger;
  }

  /**
   * What makes this process a worker: the listener for a server of `node:http2` (or of `node:http`, which
   * Restate must be told when the address is registered). End the server after this executor was disposed of.
   *
   * @throws ConfigurationError `missing-package` where `@restatedev/restate-sdk` is not installed.
   */
  async listener(): Promise<RestateListener> {
    const sdk = await loadRestate();
    const listener = sdk.createEndpointHandler(this.#endpoint(runService(this.#serviceOf(sdk))));
    this.beginToNotice();
    return listener as RestateListener; // for requests and responses of node:http2 and node:http
  }

  /**
   * The same as a function from request to response, for servers that have such.
   *
   * @throws ConfigurationError `missing-package` where `@restatedev/restate-sdk` is not installed.
   */
  async fetchHandler(): Promise<(request: Request) => Promise<Response>> {
    const sdk = await loadRestateFetch();
    const handler = sdk.createEndpointHandler(this.#endpoint(runService(this.#serviceOf(sdk))));
    this.beginToNotice();
    return (request) => handler(request);
  }

  #serviceOf<Sdk>(sdk: Sdk) {
    return {
      sdk,
      name: this.#service,
      app: this.#app,
      worker: this.worker,
      longestExecutionMs: this.#longestExecutionMs,
    };
  }

  #endpoint(service: RestateService) {
    return {
      services: [service],
      ...(this.#identityKeys.length === 0 ? {} : { identityKeys: [...this.#identityKeys] }),
      logger: restateLogger(this.#logger),
    };
  }
}

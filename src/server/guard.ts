import type { Caller } from "../ag-ui/handler-options.ts";
import { Refusal } from "../ag-ui/refusal.ts";
import type { Clock } from "../base/clock.ts";
import { callerFinder, type FindCaller } from "./caller-finder.ts";
import type { NodeBindings } from "./node-bindings.ts";
import { OpenRequests } from "./open-requests.ts";
import type { ServerOptions } from "./server-options.ts";
import { TokenBuckets } from "./token-bucket.ts";

const defaults = { requestsPerMinute: 1_200, refusalsPerMinute: 60, maxOpenRequests: 1_000 };

/** Lets callers in: those who may, as often as they may, and no more at once than the server takes. */
export class Guard {
  readonly open: OpenRequests;
  readonly #findCaller: FindCaller;
  readonly #addressOf: ServerOptions["clientAddress"];
  readonly #requests: TokenBuckets;
  readonly #refusals: TokenBuckets;
  readonly #callers = new WeakMap<Request, Caller>();

  /** @throws ConfigurationError where the token is of no use. */
  constructor({ auth, limits = {}, clientAddress }: ServerOptions, clock: Clock) {
    const { requestsPerMinute, refusalsPerMinute, maxOpenRequests } = { ...defaults, ...limits };
    this.#findCaller = callerFinder(auth);
    this.#addressOf = clientAddress;
    this.#requests = new TokenBuckets(requestsPerMinute, clock);
    this.#refusals = new TokenBuckets(refusalsPerMinute, clock);
    const { maxOpenRequestsPerCaller = maxOpenRequests } = limits;
    this.open = new OpenRequests(maxOpenRequests, maxOpenRequestsPerCaller);
  }

  /**
   * @returns who calls, and what to call when the answer is sent.
   * @throws Refusal 401, 429, 503; what the application's function throws.
   */
  async admit(
    request: Request,
    bindings: Partial<NodeBindings>,
  ): Promise<{ readonly caller: Caller; readonly leave: () => void }> {
    const address = this.#addressFor(request, bindings);
    refuseFor(this.#refusals.waitMs(address));
    const caller = await this.#identify(request, address);
    const key = caller.actor === undefined ? `at ${address}` : `of ${caller.actor}`;
    refuseFor(this.#requests.take(key));
    const leave = this.open.enter(key);
    this.#callers.set(request, caller);
    return { caller, leave };
  }

  /**
   * The same for a route that finds out by itself who calls.
   *
   * @param what it is, such as a webhook; each is counted by itself.
   * @throws Refusal 429, 503.
   */
  admitTo(what: string, request: Request, bindings: Partial<NodeBindings>): () => void {
    const key = `to ${what} at ${this.#addressFor(request, bindings)}`;
    refuseFor(this.#requests.take(key));
    return this.open.enter(key);
  }

  /** Who sends a request that was admitted. */
  callerOf(request: Request): Caller | undefined {
    return this.#callers.get(request);
  }

  #addressFor(request: Request, { incoming }: Partial<NodeBindings>): string {
    return this.#addressOf?.(request) ?? incoming?.socket.remoteAddress ?? "unknown";
  }

  async #identify(request: Request, address: string): Promise<Caller> {
    try {
      return await this.#findCaller(request);
    } catch (thrown) {
      if (Refusal.is(thrown)) {
        this.#refusals.take(address);
      }
      throw thrown;
    }
  }
}

function refuseFor(waitMs: number): void {
  if (waitMs > 0) {
    throw new Refusal("You ask too often; wait a little.", {
      status: 429,
      code: "too-many-requests",
      headers: { "retry-after": String(Math.ceil(waitMs / 1_000)) },
    });
  }
}

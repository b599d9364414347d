import { untilAborted } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { CredentialStore } from "../../base/credential-store.ts";
import { CredentialError } from "../../credentials/credential-error.ts";
import { TokenKeeper } from "../../credentials/token-keeper.ts";
import { authorizationMs } from "./oauth-account.ts";

/** What is done once for all who use one store. */
export interface SharedWork {
  readonly keeper: TokenKeeper;
  /**
   * Does `ask` once for all who want the same. Its signal aborts when nobody waits any longer, and
   * after the time that a person has.
   */
  login(
    key: string,
    signal: AbortSignal,
    ask: (signal: AbortSignal) => Promise<void>,
  ): Promise<void>;
}

/** The work of all in this process who use this store. */
export function sharedWorkOf(store: CredentialStore, clock: Clock): SharedWork {
  const work = sharedWork.get(store) ?? createSharedWork(store, clock);
  sharedWork.set(store, work);
  return work;
}

const sharedWork = new WeakMap<CredentialStore, SharedWork>();

interface Login {
  readonly ending: AbortController;
  readonly done: Promise<void>;
  waiting: number;
}

function createSharedWork(store: CredentialStore, clock: Clock): SharedWork {
  const logins = new Map<string, Login>();
  const begin = (key: string, ask: (signal: AbortSignal) => Promise<void>): Login => {
    const ending = new AbortController();
    const cancelTimer = clock.startTimer(() => ending.abort(tooLate()), authorizationMs);
    const done = ask(ending.signal).finally(() => {
      cancelTimer();
      logins.delete(key);
    });
    done.catch(() => {}); // nobody may be left who waits
    return { ending, done, waiting: 0 };
  };
  return {
    keeper: new TokenKeeper(store, () => clock.now()),
    async login(key, signal, ask) {
      const login = logins.get(key) ?? begin(key, ask);
      logins.set(key, login);
      login.waiting += 1;
      try {
        await untilAborted(login.done, signal);
      } finally {
        login.waiting -= 1;
        if (login.waiting === 0) {
          login.ending.abort(signal.reason);
        }
      }
    },
  };
}

const tooLate = (): CredentialError =>
  new CredentialError("Nobody has granted access within ten minutes. Begin it again.", {
    code: "authorization-failed",
  });

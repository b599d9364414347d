import { runLost } from "../agent/run-refusals.ts";
import type { RunStore } from "../agent/run-store.ts";

/** A store that an execution writes to until it is told to leave its run to somebody else. */
export interface RevocableStore {
  readonly store: RunStore;
  /** From now on writes are refused with `run-lost`, and the run stays where it is. */
  revoke(): void;
}

/** Lends `store` to one execution of a run. */
export function revocableStore(store: RunStore): RevocableStore {
  let isRevoked = false;
  const lent = new Proxy(store, {
    get(target, name) {
      if (isRevoked && (name === "write" || name === "takeOver")) {
        return async ({ id }: { readonly id: string }) => {
          throw runLost(id);
        };
      }
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  return {
    store: lent,
    revoke: () => {
      isRevoked = true;
    },
  };
}

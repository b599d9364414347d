import { useEffect, useState } from "preact/hooks";
import type { Store } from "../wire/store.ts";

/** The value of a store, now and whenever it changes. */
export function useStore<Value>(store: Store<Value>): Value {
  const [, redraw] = useState(0);
  useEffect(() => {
    const seen = store.value;
    const stop = store.watch(() => redraw((count) => count + 1));
    if (!Object.is(seen, store.value)) {
      redraw((count) => count + 1);
    }
    return stop;
  }, [store]);
  return store.value;
}

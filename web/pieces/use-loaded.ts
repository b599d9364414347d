import { useCallback, useEffect, useRef, useState } from "preact/hooks";

/** Something of the server: what there is of it so far. What was loaded stays while it is loaded anew. */
export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly error: Error | undefined;
  readonly isLoading: boolean;
  reload(): void;
}

interface State<Value> {
  readonly key: string;
  readonly value?: Value;
  readonly error?: Error;
  readonly isLoading: boolean;
}

/**
 * Loads something, again when the key changes, and where wanted again and again.
 *
 * @param everyMs the pause between two times; absent: once.
 */
export function useLoaded<Value>(
  key: string,
  load: (signal: AbortSignal) => Promise<Value>,
  everyMs?: number,
): Loaded<Value> {
  const [state, setState] = useState<State<Value>>({ key, isLoading: true });
  const [round, setRound] = useState(0);
  const loader = useRef(load);
  loader.current = load;
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = (): void => {
      if (everyMs !== undefined && !signal.aborted) {
        timer = setTimeout(run, everyMs);
      }
    };
    const run = (): void => {
      if (document.hidden && everyMs !== undefined && round === 0) {
        again();
        return;
      }
      loader
        .current(signal)
        .then(
          (value) => !signal.aborted && setState({ key, value, isLoading: false }),
          (error: Error) =>
            !signal.aborted &&
            setState((before) => ({
              ...(before.key === key ? before : { key }),
              error,
              isLoading: false,
            })),
        )
        .finally(again);
    };
    run();
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [key, everyMs, round]);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  const isCurrent = state.key === key;
  return {
    value: isCurrent ? state.value : undefined,
    error: isCurrent ? state.error : undefined,
    isLoading: !isCurrent || state.isLoading,
    reload,
  };
}

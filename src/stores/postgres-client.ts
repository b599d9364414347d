/** What we use of a `pg` pool, so that its types need not be installed. A `Pool` of `pg` is one. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
}

/** What we use of a client of such a pool. */
export interface PostgresClient {
  /** Without values, `text` may hold several statements; then what it gives is not looked at. */
  query(
    text: string,
    values?: unknown[],
  ): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
  /** Gives the client back; with `true`, its connection is closed. */
  release(destroy?: boolean): void;
  on(event: "error" | "end", listener: () => void): unknown;
  on(
    event: "notification",
    listener: (message: { readonly payload?: string | undefined }) => void,
  ): unknown;
  off(event: "error" | "end", listener: () => void): unknown;
}

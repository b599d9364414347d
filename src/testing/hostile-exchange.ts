/** A JSON-RPC message, not looked at further. */
export type HostileMessage = { readonly [key: string]: unknown };

/** The answering of one request, over whichever transport. What is written twice is sent twice. */
export interface HostileExchange {
  readonly over: "stdio" | "http";
  readonly request: HostileMessage;
  /** Sends a message of its own: a notification, a request, an answer under some id. */
  send(message: HostileMessage): Promise<void>;
  /** Sends the result, and ends the exchange. */
  answer(result: unknown): Promise<void>;
  /** Begins a message of unknown length: as JSON, or as an event where the transport has events. */
  begin(form: "json" | "event", status?: number): void;
  /** Writes bytes as they are, at the pace of the reader. False where nobody reads any more. */
  write(text: string): Promise<boolean>;
  /** Ends a message that was begun. */
  end(): void;
  /** Cuts the connection, or ends the process with this code. */
  cut(exitCode?: number): void;
  /** Over HTTP: answers with this status and nothing else. */
  respond(status: number, headers?: Readonly<Record<string, string>>, body?: string): void;
  /** Starts a process that holds this one's pipes; over stdio only. */
  startGrandchild(): void;
  /** What the client answers to a request that was sent, by its id. */
  clientAnswer(id: string): Promise<HostileMessage>;
  /** Writes to the standard error; over stdio only. */
  complain(text: string): Promise<void>;
  /** Whether the client still listens. */
  isOpen(): boolean;
}

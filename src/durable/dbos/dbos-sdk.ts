import { loadPeer } from "../load-peer.ts";

/** What we use of `@dbos-inc/dbos-sdk`. */
export interface DbosSdk {
  readonly DBOS: {
    setConfig(config: DbosConfig): void;
    launch(): Promise<void>;
    shutdown(options?: { readonly deregister?: boolean }): Promise<void>;
    isInitialized(): boolean;
    registerWorkflow<Message>(
      work: (message: Message) => Promise<void>,
      options: { readonly name: string },
    ): (message: Message) => Promise<void>;
    registerQueue(name: string, options: DbosQueueOptions): Promise<unknown>;
    enqueueWorkflowWithOptions(options: DbosEnqueueOptions, message: unknown): Promise<unknown>;
    runStep<Value>(work: () => Promise<Value>, options: { readonly name: string }): Promise<Value>;
    sleep(durationMs: number): Promise<void>;
    readonly stepStatus: { readonly cancelSignal?: AbortSignal } | undefined;
  };
  readonly DBOSClient: {
    create(options: {
      systemDatabaseUrl: string;
      applicationName?: string;
      logger?: DbosLogger;
    }): Promise<DbosClient>;
  };
}

/** What we use of a client, which executes nothing. */
export interface DbosClient {
  enqueue(options: DbosEnqueueOptions, message: unknown): Promise<unknown>;
  destroy(): Promise<void>;
}

export interface DbosConfig {
  name: string;
  systemDatabaseUrl: string;
  executorID: string;
  applicationVersion: string;
  logger: DbosLogger;
}

export interface DbosLogger {
  info(entry: unknown): void;
  debug(entry: unknown): void;
  warn(entry: unknown): void;
  error(entry: unknown): void;
}

export interface DbosQueueOptions {
  workerConcurrency: number;
  globalConcurrency?: number;
  minPollingIntervalMs: number;
}

/** Without a version, the workers of the newest one take the workflow. */
export interface DbosEnqueueOptions {
  queueName: string;
  workflowName: string;
  workflowID: string;
  delaySeconds?: number;
}

/** @throws ConfigurationError `missing-package`. */
export async function loadDbos(): Promise<DbosSdk> {
  return (await loadPeer("An executor on DBOS", "@dbos-inc/dbos-sdk")) as DbosSdk; // e2e compares the two
}

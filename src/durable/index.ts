export type { Executor, ResultOptions, StartedRun, StartOptions } from "./executor.ts";
export { LocalExecutor, type LocalExecutorOptions, openLocalExecutor } from "./local-executor.ts";

export type { EngineExecutorOptions, EngineStartOptions } from "../engine-executor.ts";
export { DbosExecutor, type DbosExecutorOptions, dbosExecutor } from "./dbos-executor.ts";

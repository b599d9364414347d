export type { EngineExecutorOptions, EngineStartOptions } from "../engine-executor.ts";
export {
  RestateExecutor,
  type RestateExecutorOptions,
  restateExecutor,
} from "./restate-executor.ts";
export type { RestateIngressOptions } from "./restate-ingress.ts";
export type { RestateListener } from "./restate-sdk.ts";

export {
  type AgUiContentPart,
  type AgUiEvent,
  type AgUiEventBody,
  type AgUiInterrupt,
  type AgUiMetadata,
  type AgUiOutcome,
  type AgUiPatch,
  type AgUiSource,
  type AgUiUsage,
  agUiVersion,
} from "./ag-ui-event.ts";
export { type AgUiHandler, createAgUiHandler } from "./create-ag-ui-handler.ts";
export type { EventFilter } from "./event-filter.ts";
export type { AgUiHandlerOptions, Caller, RunOptionsOfRequest } from "./handler-options.ts";
export type { RunSource } from "./positioned-events.ts";
export type {
  InputLimits,
  InputMessage,
  InputTool,
  ResumeEntry,
  RunAgentInput,
} from "./run-agent-input.ts";
export { type ToAgUiOptions, toAgUi } from "./to-ag-ui.ts";
export { toNodeListener } from "./to-node-listener.ts";

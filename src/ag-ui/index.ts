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
export type { EventFilter } from "./event-filter.ts";
export type { RunSource } from "./positioned-events.ts";
export { type ToAgUiOptions, toAgUi } from "./to-ag-ui.ts";

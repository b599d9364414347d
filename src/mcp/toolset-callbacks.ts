import type { Binding } from "../tool/binding.ts";
import type { ToolsetObserver } from "../tool/toolset.ts";
import type { ServerCallbacks, ServerRequestScope } from "./server-callbacks.ts";
import type { McpEvents } from "./server-events.ts";

/** For whom and until when a toolset's callback answers a server. */
export interface McpToolsetScope extends ServerRequestScope {
  /** The run that the server works for. */
  readonly binding: Binding;
}

/** The callbacks as a connection calls them: for this run. */
export function boundTo(
  binding: Binding,
  { onElicitation, onSampling, roots }: ServerCallbacks<McpToolsetScope>,
): ServerCallbacks {
  return {
    ...(onElicitation && {
      onElicitation: (asked, scope) => onElicitation(asked, { ...scope, binding }),
    }),
    ...(onSampling && { onSampling: (asked, scope) => onSampling(asked, { ...scope, binding }) }),
    ...(roots && {
      roots: typeof roots === "function" ? (scope) => roots({ ...scope, binding }) : roots,
    }),
  };
}

/** What a server tells during a run. The run goes on with the tools that it began with. */
export function runEvents(
  observer: ToolsetObserver,
  notice: (code: string, message: string) => void,
): McpEvents {
  return {
    onLog: (log) => observer.log?.(log),
    onToolsChanged: () =>
      notice(
        "mcp-tools-changed",
        "It publishes other tools now. This run goes on with those that it began with; the next one has the new ones.",
      ),
  };
}

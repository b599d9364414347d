import type { Binding } from "../../tool/binding.ts";
import type { ToolsetObserver } from "../../tool/toolset.ts";
import type { McpEvents } from "../connection/server-events.ts";
import type { ServerCallbacks, ServerRequestScope } from "../session/server-callbacks.ts";

/** For whom and until when a toolset's callback answers a server. */
export interface McpToolsetScope extends ServerRequestScope {
  /** The run that the server works for. */
  readonly binding: Binding;
}

/** How a toolset deals with what servers want from the user. */
export interface ToolsetElicitation {
  /**
   * `"suspend"`: where the server lets a call be sent again (revision 2026-07-28), the run is put aside
   * until somebody decides, also beyond the end of its process, and the call goes on from there. Servers
   * that ask while a call is open are answered by `onElicitation`, else told that nobody answers.
   * Default: `onElicitation` answers in any case.
   */
  readonly elicitation?: "suspend";
}

/** The callbacks as a connection calls them: for this run. */
export function boundTo(
  binding: Binding,
  {
    elicitation,
    onElicitation = elicitation === "suspend" ? () => ({ action: "cancel" }) : undefined,
    onSampling,
    roots,
  }: ServerCallbacks<McpToolsetScope> & ToolsetElicitation,
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

/** What a server tells during a run, which takes over other tools before its next model call. */
export function runEvents(
  observer: ToolsetObserver,
  notice: (code: string, message: string) => void,
): McpEvents {
  return {
    onLog: (log) => observer.log?.(log),
    onToolsChanged: () => {
      observer.toolsChanged?.();
      notice(
        "mcp-tools-changed",
        "It publishes other tools now, which a run has from its next model call on.",
      );
    },
  };
}

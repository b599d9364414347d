import type { ActiveSpan } from "../base/tracing.ts";
import type { OpenToolset, Toolset } from "../tool/toolset.ts";
import { type TracedScope, traced } from "./traced.ts";

/** Opens a toolset as an operation of its own, where somebody traces. */
export function tracedOpening(
  { name }: Toolset,
  scope: TracedScope,
  open: (span: ActiveSpan | undefined) => Promise<OpenToolset>,
): Promise<OpenToolset> {
  return traced(
    scope,
    () => ({ kind: "server-open", server: name }),
    async (span) => {
      const opened = await open(span);
      span?.set({ count: opened.tools.length });
      return opened;
    },
  );
}

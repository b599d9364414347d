import type { McpEvents } from "./server-events.ts";

/** Events for whoever listens when they come. */
export function toldToAll(listeners: ReadonlySet<McpEvents>): McpEvents {
  const tell = (about: (listener: McpEvents) => void): void => {
    for (const listener of [...listeners]) {
      about(listener);
    }
  };
  return {
    onLog: (log) => tell((listener) => listener.onLog?.(log)),
    onToolsChanged: () => tell((listener) => listener.onToolsChanged?.()),
    onPromptsChanged: () => tell((listener) => listener.onPromptsChanged?.()),
    onResourcesChanged: () => tell((listener) => listener.onResourcesChanged?.()),
    onResourceUpdated: (uri) => tell((listener) => listener.onResourceUpdated?.(uri)),
  };
}

import type { VNode } from "preact";

/** Strokes on a grid of 16. */
const paths = {
  agent:
    "M8 2v2M4 6a2 2 0 0 1 2-2h4a2 2 0 0 1 2 2v5a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2zM6.5 8v1M9.5 8v1M2 8v2M14 8v2",
  alert: "M8 2.5 14 13H2zM8 6.5v3M8 11.3v.2",
  arrow: "M8 13V3M3.5 7.5 8 3l4.5 4.5",
  back: "M10 3 5 8l5 5",
  chat: "M3 3h10a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1H7l-3.5 2.5V11H3a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1z",
  check: "M3 8.5 6.5 12 13 4.5",
  chevron: "M6 4l4 4-4 4",
  clock: "M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2M8 5v3.2l2.2 1.3",
  copy: "M6 6V3.5A1 1 0 0 1 7 2.5h5.5a1 1 0 0 1 1 1V9a1 1 0 0 1-1 1H10M3.5 6H9a1 1 0 0 1 1 1v5.5a1 1 0 0 1-1 1H3.5a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1z",
  cross: "M4 4l8 8M12 4l-8 8",
  down: "M8 3v10M3.5 8.5 8 13l4.5-4.5",
  file: "M4 2h5l3.5 3.5V14H4zM9 2v3.5h3.5",
  list: "M5.5 4H14M5.5 8H14M5.5 12H14M2.3 4h.2M2.3 8h.2M2.3 12h.2",
  play: "M5 3.2v9.6l7.5-4.8z",
  plus: "M8 3v10M3 8h10",
  retry: "M13 8a5 5 0 1 1-1.6-3.7M13 2.5v2.7h-2.7",
  run: "M2 12.5h3.5V9H9V5.5h5M11.5 3 14 5.5 11.5 8",
  server: "M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.2M5 11h.2",
  stop: "M4.5 4.5h7v7h-7z",
  thought:
    "M8 2.5a4 4 0 0 1 2.3 7.3c-.5.4-.8.8-.8 1.4H6.5c0-.6-.3-1-.8-1.4A4 4 0 0 1 8 2.5M6.5 13.5h3",
  tool: "M10.3 2.3a3.5 3.5 0 0 0-4.4 4.4L2.3 10.3a1.6 1.6 0 0 0 0 2.3l1.1 1.1a1.6 1.6 0 0 0 2.3 0l3.6-3.6a3.5 3.5 0 0 0 4.4-4.4L11.4 8 9 7l-1-2.4z",
  trash: "M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.5 9h6l.5-9",
} as const;

/** The name of a drawing. */
export type IconName = keyof typeof paths;

/** A drawing that says nothing which no text beside it says. */
export function Icon({ name }: { readonly name: IconName }): VNode {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}

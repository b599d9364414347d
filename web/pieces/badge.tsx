import type { ComponentChildren, VNode } from "preact";

/** What a badge says besides its words. */
export type Tone = "neutral" | "good" | "bad" | "busy" | "wait";

/** A word or two on how something stands. */
export function Badge({
  tone = "neutral",
  title,
  children,
}: {
  readonly tone?: Tone;
  readonly title?: string | undefined;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <span class={`badge ${tone}`} title={title}>
      {children}
    </span>
  );
}

/** How a run stands, as a badge. */
export function RunBadge({ status }: { readonly status: string }): VNode {
  return <Badge tone={runTones[status] ?? "neutral"}>{runWords[status] ?? status}</Badge>;
}

const runTones: Readonly<Record<string, Tone>> = {
  running: "busy",
  suspended: "wait",
  waiting: "wait",
  completed: "good",
  failed: "bad",
  cancelled: "neutral",
};

const runWords: Readonly<Record<string, string>> = { suspended: "waiting" };

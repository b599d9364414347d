import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Icon } from "./icon.tsx";

/** Copies a text, and says so for a moment. */
export function CopyButton({
  text,
  isBare = false,
}: {
  readonly text: string;
  /** Whether there is room for the drawing only. */
  readonly isBare?: boolean;
}): VNode {
  const [outcome, setOutcome] = useState<"copied" | "failed" | undefined>();
  useEffect(() => {
    const timer = setTimeout(() => setOutcome(undefined), 1_600);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = (): void => {
    // A page over http has no clipboard, save on this machine.
    Promise.resolve()
      .then(() => navigator.clipboard.writeText(text))
      .then(
        () => setOutcome("copied"),
        () => setOutcome("failed"),
      );
  };
  const shown = outcome === "copied" ? "Copied" : outcome === "failed" ? "Not allowed" : "Copy";
  return (
    <button
      type="button"
      class={`quiet small copy ${isBare ? "icon-button" : ""}`}
      title={isBare ? shown : undefined}
      onClick={copy}
    >
      <Icon name={outcome === "copied" ? "check" : "copy"} />
      <span class={isBare ? "visually-hidden" : ""} aria-live="polite">
        {shown}
      </span>
    </button>
  );
}

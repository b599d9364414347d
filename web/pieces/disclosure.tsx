import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import { Icon } from "./icon.tsx";

/** A line that opens: what is inside is made only when it is open. */
export function Disclosure({
  summary,
  children,
  class: name = "",
  isOpen: isOpenAtFirst = false,
}: {
  readonly summary: ComponentChildren;
  readonly children: () => ComponentChildren;
  readonly class?: string;
  readonly isOpen?: boolean;
}): VNode {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <details
      class={`disclosure ${name}`}
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <span class="summary-text">{summary}</span>
        <Icon name="chevron" />
      </summary>
      {isOpen && <div class="disclosed">{children()}</div>}
    </details>
  );
}

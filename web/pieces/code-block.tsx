import type { VNode } from "preact";
import { CopyButton } from "./copy-button.tsx";

/** Code, with a way to take it along. */
export function CodeBlock({
  code,
  language,
}: {
  readonly code: string;
  readonly language?: string | undefined;
}): VNode {
  return (
    <figure class="code-block">
      <figcaption>
        <span>{language || "text"}</span>
        <CopyButton text={code} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reached by keys */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
    </figure>
  );
}

import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { CopyButton } from "./copy-button.tsx";
import { formatBytes } from "./format.ts";

/** More than this is not laid out before somebody asks for it. */
const firstCharacters = 4_000;
const moreCharacters = 100_000;

/** A text of any length, as it is: its beginning, and more of it when it is asked for. */
export function LongText({
  text,
  label,
}: {
  readonly text: string;
  readonly label: string;
}): VNode {
  const [shown, setShown] = useState(firstCharacters);
  const isCut = text.length > shown;
  return (
    <div class="long-text">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reached by keys */}
      <figure class="text-frame" tabIndex={0} aria-label={label}>
        <pre>{isCut ? `${text.slice(0, shown)}…` : text}</pre>
      </figure>
      <CopyButton text={text} isBare />
      {isCut && (
        <button
          type="button"
          class="quiet small"
          onClick={() => setShown((count) => count + moreCharacters)}
        >
          {`${text.length - shown > moreCharacters ? "Show more" : "Show all"} of ${formatBytes(text.length)}`}
        </button>
      )}
    </div>
  );
}

/** JSON with line breaks, where it is JSON; else the text as it is. */
export function prettyJson(text: string): string {
  if (text.length > 2_000_000) {
    return text;
  }
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

import type { ComponentChildren, VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../pieces/icon.tsx";

/** As near to the end as this, in pixels, counts as being there. */
const nearEnd = 48;

/**
 * What scrolls, and stays at its end while it grows, unless somebody has scrolled away. What is put
 * before what is seen does not move it.
 *
 * @param mark changes when what is inside does.
 */
export function ScrollFrame({
  mark,
  children,
}: {
  readonly mark: unknown;
  readonly children: ComponentChildren;
}): VNode {
  const frame = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const before = useRef({ height: 0, top: 0 });
  const [isAway, setAway] = useState(false);
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) {
      return;
    }
    const grown = element.scrollHeight - before.current.height;
    if (isAtEnd.current) {
      element.scrollTop = element.scrollHeight;
    } else if (before.current.top < nearEnd && grown > 0) {
      element.scrollTop = before.current.top + grown; // older messages came in above
    }
    before.current = { height: element.scrollHeight, top: element.scrollTop };
  }, [mark]);
  const look = (): void => {
    const element = frame.current;
    if (element !== null) {
      const left = element.scrollHeight - element.scrollTop - element.clientHeight;
      isAtEnd.current = left < nearEnd;
      before.current = { height: element.scrollHeight, top: element.scrollTop };
      setAway(left > element.clientHeight / 2);
    }
  };
  const toEnd = (): void => {
    frame.current?.scrollTo({ top: frame.current.scrollHeight });
  };
  return (
    <div class="scroll-area">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reached by keys */}
      <section class="scroll-frame" ref={frame} onScroll={look} tabIndex={0} aria-label="Messages">
        <div class="column">{children}</div>
      </section>
      {isAway && (
        <button type="button" class="to-end" onClick={toEnd}>
          <Icon name="down" />
          To the end
        </button>
      )}
    </div>
  );
}

import type { VNode } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Icon } from "../pieces/icon.tsx";
import type { ChatView } from "./chat-session.ts";

/** Where one writes: Enter sends, Shift and Enter begins a line, Escape stops what goes on. */
export function Composer({
  agent,
  status,
  onSend,
  onCancel,
}: {
  readonly agent: string;
  readonly status: ChatView["status"];
  onSend(text: string): void;
  onCancel(): void;
}): VNode {
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  useEffect(() => {
    if (matchMedia("(hover: hover)").matches) {
      field.current?.focus();
    }
  }, []);
  const isGoingOn = status === "running" || status === "waiting";
  const canSend = status === "idle" && text.trim() !== "";
  const send = (): void => {
    if (canSend) {
      onSend(text);
      setText("");
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      send();
    }
    if (event.key === "Escape" && status === "running") {
      onCancel();
    }
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div class="composer-box">
        <label class="visually-hidden" for={id}>{`Message to ${agent}`}</label>
        <textarea
          id={id}
          ref={field}
          rows={1}
          value={text}
          placeholder={status === "waiting" ? "Answer above, or stop" : `Message ${agent}`}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        {isGoingOn ? (
          <button type="button" class="round" aria-label="Stop the run" onClick={onCancel}>
            <Icon name="stop" />
          </button>
        ) : (
          <button type="submit" class="round primary" aria-label="Send" disabled={!canSend}>
            <Icon name="arrow" />
          </button>
        )}
      </div>
    </form>
  );
}

import type { FunctionComponent, VNode } from "preact";
import { Badge, type Tone } from "../pieces/badge.tsx";
import { Disclosure } from "../pieces/disclosure.tsx";
import { formatDuration } from "../pieces/format.ts";
import { Icon } from "../pieces/icon.tsx";
import { LongText, prettyJson } from "../pieces/long-text.tsx";
import { memo } from "../pieces/memo.ts";
import type { CallStatus, ToolItem } from "./chat-item.ts";
import { ResultParts } from "./result-parts.tsx";

interface ToolRowProps {
  readonly item: ToolItem;
  /** The server that it is a tool of, where that is known. */
  readonly server: string | undefined;
}

/** A tool call as a line that opens. */
export const ToolRow: FunctionComponent<ToolRowProps> = memo<ToolRowProps>(({ item, server }) => {
  const { name, status, startedAt, endedAt, progress } = item;
  return (
    <div class="tool-row">
      <Disclosure
        summary={
          <>
            <Icon name="tool" />
            <code class="tool-name">{name}</code>
            {server !== undefined && (
              <span class="server-name">
                <Icon name="server" />
                {server}
              </span>
            )}
            <span class="push row">
              {startedAt !== undefined && endedAt !== undefined && (
                <span class="hint tabular">{formatDuration(endedAt - startedAt)}</span>
              )}
              <Badge tone={tones[status]}>{words[status]}</Badge>
            </span>
          </>
        }
      >
        {() => <CallDetails item={item} />}
      </Disclosure>
      {status === "running" && progress !== undefined && <ProgressLine progress={progress} />}
      <ResultParts parts={item.content} files={item.files} show="media" />
    </div>
  );
});

const tones: Readonly<Record<CallStatus, Tone>> = {
  writing: "busy",
  running: "busy",
  waiting: "wait",
  done: "good",
  failed: "bad",
  "not-made": "neutral",
};

const words: Readonly<Record<CallStatus, string>> = {
  writing: "asking",
  running: "running",
  waiting: "waiting",
  done: "done",
  failed: "failed",
  "not-made": "not made",
};

/** What a call was given and what came of it. */
function CallDetails({ item }: { readonly item: ToolItem }): VNode {
  const { argumentsText, status, code, content, files } = item;
  const isOver = status === "done" || status === "failed" || content.length > 0;
  return (
    <>
      <p class="part-label">Arguments</p>
      <LongText text={prettyJson(argumentsText || "{}")} label="Arguments" />
      {isOver && (
        <>
          <p class="part-label">
            {status === "failed" ? "Error" : "Result"}
            {code !== undefined && <code>{code}</code>}
          </p>
          <ResultParts parts={content} files={files} show="text" />
        </>
      )}
    </>
  );
}

/** How far a tool has come. */
export function ProgressLine({
  progress: { progress, total, message },
}: {
  readonly progress: NonNullable<ToolItem["progress"]>;
}): VNode {
  const isMeasured = total !== undefined && total > 0;
  return (
    <div class="progress-line">
      <progress
        aria-label="Progress of the tool"
        {...(isMeasured ? { value: Math.min(progress, total), max: total } : {})}
      />
      <span class="hint">
        {message ?? (isMeasured ? `${progress} of ${total}` : String(progress))}
      </span>
    </div>
  );
}

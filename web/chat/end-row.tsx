import type { VNode } from "preact";
import type { AgUiUsage } from "../../src/ag-ui/ag-ui-event.ts";
import { formatDuration } from "../pieces/format.ts";
import { Icon } from "../pieces/icon.tsx";
import { Failure } from "../pieces/notice.tsx";
import { formatRoute } from "../pieces/route.ts";
import type { EndItem } from "./chat-item.ts";

/** How a run ended, what it took, and the way to all that is known of it. */
export function EndRow({
  item,
  onRetry,
}: {
  readonly item: EndItem;
  onRetry: (() => void) | undefined;
}): VNode {
  const { status, error, usage, startedAt, endedAt, sourceRunId } = item;
  const facts = [
    ...(status === "cancelled" ? ["Cancelled"] : []),
    ...(startedAt !== undefined && endedAt !== undefined && status !== "waiting"
      ? [formatDuration(endedAt - startedAt)]
      : []),
    ...usage.map(usageText),
  ];
  return (
    <>
      {status === "failed" && error !== undefined && (
        <Failure code={error.code} message={error.message || "The run failed."}>
          {onRetry !== undefined && (
            <button type="button" class="small" onClick={onRetry}>
              <Icon name="retry" />
              Try again
            </button>
          )}
        </Failure>
      )}
      <p class="run-facts">
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
        {sourceRunId !== undefined && (
          <a href={formatRoute({ page: "runs", run: sourceRunId })}>See the run</a>
        )}
      </p>
    </>
  );
}

/** `"gpt-5: 1,204 in, 96 out"`. */
function usageText({ model, inputTokens, outputTokens }: AgUiUsage): string {
  const counts = `${inputTokens.toLocaleString("en")} tokens in, ${outputTokens.toLocaleString("en")} out`;
  return model === undefined || model === "" ? counts : `${model}: ${counts}`;
}

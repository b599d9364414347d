import type { ComponentChildren, VNode } from "preact";
import { ApiError } from "../wire/api.ts";
import { adviceFor } from "./advice.ts";
import { Icon } from "./icon.tsx";

/** What went wrong, its code, and what to do. */
export function Failure({
  code,
  message,
  children,
}: {
  readonly code: string;
  readonly message: string;
  readonly children?: ComponentChildren;
}): VNode {
  const advice = adviceFor(code);
  return (
    <div class="failure" role="alert">
      <Icon name="alert" />
      <div>
        <p class="failure-message">
          {message} <code>{code}</code>
        </p>
        {advice !== undefined && <p class="hint">{advice}</p>}
        {children}
      </div>
    </div>
  );
}

/** The same for an error of this page's, with a way to try again. */
export function ErrorNotice({
  error,
  onRetry,
}: {
  readonly error: Error;
  onRetry?: (() => void) | undefined;
}): VNode {
  const code = error instanceof ApiError ? error.code : "page-error";
  return (
    <Failure code={code} message={error.message}>
      {onRetry !== undefined && (
        <button type="button" class="small" onClick={onRetry}>
          Try again
        </button>
      )}
    </Failure>
  );
}

/** What stands where there is nothing yet. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}): VNode {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

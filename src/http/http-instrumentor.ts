import type { Logger } from "../base/logger.ts";
import { ToolError } from "../base/tool-error.ts";

/** What an {@link HttpInstrumentor} is told. The URL is redacted; no header and no body is among it. */
export type HttpEvent =
  | (HttpEventSubject & { readonly kind: "request-start" })
  | (HttpEventSubject & {
      readonly kind: "request-end";
      readonly status: number;
      /** To the end of the answer, or to its head where the caller reads a stream. */
      readonly durationMs: number;
    })
  | (HttpEventSubject & {
      readonly kind: "request-fail";
      readonly error: unknown;
      readonly durationMs: number;
    });

/** The request that an event is about. */
export interface HttpEventSubject {
  readonly method: string;
  readonly url: string;
  /** 1 for the first try. */
  readonly attempt: number;
}

/** Watches the requests of a client. It must not throw. */
export type HttpInstrumentor = (event: HttpEvent) => void;

/** The default: failed requests go to the logger as errors, everything else is kept quiet. */
export function quietInstrumentor(logger: Logger): HttpInstrumentor {
  return (event) => {
    if (event.kind === "request-fail") {
      const { method, url, attempt, durationMs, error } = event;
      const code = ToolError.is(error) ? error.code : "unknown";
      logger.error("An HTTP request failed.", {
        method,
        url,
        attempt,
        code,
        durationMs: Math.round(durationMs),
        ...(ToolError.is(error) && error.data !== undefined ? { data: error.data } : {}),
      });
    }
  };
}

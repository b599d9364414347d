/** A span, whatever SDK it was exported by. */
export interface PlainSpan {
  readonly name: string;
  /** In the numbers of OpenTelemetry's API: 0 internal, 1 server, 2 client. */
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 0 unset, 1 ok, 2 error. */
  readonly status: number;
  readonly statusMessage: string | undefined;
  readonly events: readonly {
    readonly name: string;
    readonly attributes: Readonly<Record<string, unknown>>;
  }[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly startedAt: number;
}

/** What exported spans of both SDKs have. */
interface ExportedSpan {
  readonly name: string;
  readonly kind: number;
  spanContext(): { readonly traceId: string; readonly spanId: string };
  readonly parentSpanContext?: { readonly spanId: string };
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: { readonly code: number; readonly message?: string };
  readonly events: readonly {
    readonly name: string;
    readonly attributes?: Readonly<Record<string, unknown>>;
  }[];
  readonly links: readonly {
    readonly context: { readonly traceId: string; readonly spanId: string };
  }[];
  readonly startTime: readonly [number, number];
}

/** The part of a span that tests are about. */
export function toPlainSpan(span: ExportedSpan): PlainSpan {
  const { name, kind, attributes, status, events, links, startTime } = span;
  return {
    name,
    kind,
    ...span.spanContext(),
    parentId: span.parentSpanContext?.spanId,
    attributes,
    status: status.code,
    statusMessage: status.message,
    events: events.map((event) => ({ name: event.name, attributes: event.attributes ?? {} })),
    links: links.map(({ context: { traceId, spanId } }) => ({ traceId, spanId })),
    startedAt: startTime[0] * 1e9 + startTime[1],
  };
}

const kinds = ["INTERNAL", "SERVER", "CLIENT"];

/**
 * Spans as a tree, a line for each: name, kind, the type of its error, the outcome of an agent that did
 * not complete, and names of its events. Turns are left out.
 */
export function treeOf(spans: readonly PlainSpan[]): string {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const lines = (parent: string | undefined, indent: string): readonly string[] =>
    spans
      .filter(({ parentId }) =>
        parent === undefined ? parentId === undefined || !ids.has(parentId) : parentId === parent,
      )
      .toSorted((one, other) => one.startedAt - other.startedAt)
      .flatMap((span) => [`${indent}${lineOf(span)}`, ...lines(span.spanId, `${indent}  `)]);
  return lines(undefined, "").join("\n");
}

function lineOf({ name, kind, attributes, status, events, links }: PlainSpan): string {
  const outcome = attributes["dragoman.run.outcome"];
  return [
    name,
    kinds[kind],
    ...(status === 2 ? [`ERROR=${attributes["error.type"]}`] : []),
    ...(outcome === undefined || outcome === "completed" ? [] : [outcome]),
    ...events.flatMap((event) => (event.name === "dragoman.turn" ? [] : [`(${event.name})`])),
    ...(links.length === 0 ? [] : ["linked"]),
  ].join(" ");
}

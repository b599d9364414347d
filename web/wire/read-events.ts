/** One server-sent event: its id, where it has one, and its data. */
export interface ServerEvent {
  readonly id: string | undefined;
  readonly data: string;
}

/**
 * The events of a response body, as they come. `EventSource` is not used: it sends no headers, hence no
 * token, and only GET.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerEvent, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) {
        return;
      }
      const frames = (rest + decoder.decode(value, { stream: true })).split("\n\n");
      rest = frames.pop() ?? "";
      yield* frames.flatMap((frame) => toEvent(frame) ?? []);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function toEvent(frame: string): ServerEvent | undefined {
  const lines = frame.split("\n");
  const fieldOf = (name: string): readonly string[] =>
    lines
      .filter((line) => line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).replace(/^ /, ""));
  const data = fieldOf("data");
  return data.length === 0 ? undefined : { id: fieldOf("id").at(-1), data: data.join("\n") };
}

import type { Clock } from "../base/clock.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { startTimeLimit } from "../base/time-limit.ts";
import type { MediaPart, TextPart } from "../message/content.ts";
import type { Message } from "../message/message.ts";
import { artifactIdOf } from "./artifact-reference.ts";
import type { ArtifactOwner, ArtifactStore } from "./artifact-store.ts";
import { type KeepBytes, putBack, takeOut } from "./out-of-line.ts";
import { whileRunning } from "./run-patience.ts";

/** Where the media of a conversation are, and whose. */
export interface MessageArtifacts extends ArtifactOwner {
  readonly artifacts: Pick<ArtifactStore, "get">;
}

/**
 * Messages of a session store with their media in them: the store has those that are large as artifacts,
 * and names them by URLs such as `artifact:sha256-…`. What is not there any more becomes a text that
 * says so.
 *
 * @throws what the store of artifacts throws.
 */
export async function wholeMessages(
  messages: readonly Message[],
  { artifacts, ...owner }: MessageArtifacts,
): Promise<readonly Message[]> {
  const found = (await putBack(messages as unknown as Json, {
    all: false,
    read: async (id) => (await artifacts.get({ ...owner, id }))?.bytes,
    missing: (_id: string, inPlace: JsonObject): Json => inPlace,
  })) as unknown as readonly Message[]; // messages are JSON, and a medium stays one
  return found.map(withoutMissing);
}

/** Messages with the media that are large by their artifacts. @throws what `keepMedia` throws. */
export async function messagesOutOfLine(
  messages: readonly Message[],
  keepMedia: KeepBytes,
): Promise<readonly Message[]> {
  const how = { keepMedia, keepValue: undefined };
  // As above.
  return (await takeOut(messages as unknown as Json, how)) as unknown as readonly Message[];
}

/** What the media of one session are kept with. */
export interface SessionMediaOptions extends ArtifactOwner {
  readonly store: ArtifactStore;
  readonly runId: string;
  readonly session: string;
  readonly clock: Clock;
  /** How long the store may take for one medium, in milliseconds. */
  readonly timeoutMs: number;
}

/** The media of a session's messages, which the session holds. */
export class SessionMedia {
  readonly #options: SessionMediaOptions;

  constructor(options: SessionMediaOptions) {
    this.#options = options;
  }

  /** Messages as they are stored. Media that cannot be kept stay in them. */
  takeOut(messages: readonly Message[]): Promise<readonly Message[]> {
    const { store, clock, timeoutMs, ...facts } = this.#options;
    const anybody = new AbortController().signal; // of a run that was cancelled the same is kept
    return messagesOutOfLine(messages, async (bytes, label) => {
      const limit = startTimeLimit(clock, anybody, timeoutMs, () => new Error("late"));
      try {
        return (await whileRunning(limit.signal, () => store.put({ ...facts, ...label, bytes })))
          .id;
      } catch {
        return undefined;
      } finally {
        limit.stop();
      }
    });
  }

  /** Messages as they were said. @throws what the store throws; the signal's reason. */
  putBack(messages: readonly Message[], signal: AbortSignal): Promise<readonly Message[]> {
    const { store, app, actor } = this.#options;
    const owner = actor === undefined ? { app } : { app, actor };
    return whileRunning(signal, () => wholeMessages(messages, { ...owner, artifacts: store }));
  }
}

/** Without media whose bytes are gone. */
export function withoutMissing(message: Message): Message {
  switch (message.role) {
    case "user":
    case "assistant": {
      const content = message.content.map((part) => ("source" in part ? present(part) : part));
      return { ...message, content } as Message; // a text may stand wherever a medium may
    }
    case "tool":
      return {
        ...message,
        content: message.content.map((result) => ({
          ...result,
          content: result.content.map((part) => (part.kind === "text" ? part : present(part))),
        })),
      };
    case "system":
      return message;
  }
}

function present(part: MediaPart): MediaPart | TextPart {
  const { kind, mediaType, name, source } = part;
  const id = source.kind === "url" ? artifactIdOf(source.url) : undefined;
  const label = name === undefined ? mediaType : `${JSON.stringify(name)}, ${mediaType}`;
  return id === undefined
    ? part
    : {
        kind: "text",
        text: `[${kind} ${label}: its bytes, artifact ${id}, are not there any more]`,
      };
}

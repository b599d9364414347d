import type { Json, JsonObject } from "../base/json.ts";
import type { ArtifactOwner, ArtifactStore } from "./artifact-store.ts";
import { type BackInLine, type OutOfLine, putBack, takeOut } from "./out-of-line.ts";
import type { RunEvent } from "./run-event.ts";

/** Where what is large in the events of a run is, and whose. */
export interface EventArtifacts extends ArtifactOwner {
  readonly artifacts: Pick<ArtifactStore, "get">;
}

/**
 * An event of a store as it was published: with what is kept as an artifact since it is large. What is
 * not there any more stays as the store has it: a value `{ "dragoman:artifact": id }`, and a medium
 * with the URL `artifact:` and the id.
 *
 * @throws what the store of artifacts throws.
 */
export function wholeEvent(
  event: RunEvent,
  { artifacts, ...owner }: EventArtifacts,
): Promise<RunEvent> {
  const how: BackInLine = {
    all: true,
    read: async (id) => (await artifacts.get({ ...owner, id }))?.bytes,
    missing: (_id: string, inPlace: JsonObject): Json => inPlace,
  };
  return inParts(event, {
    value: (value) => putBack(value, how),
    media: (content) => putBack(content, { ...how, all: false }),
  });
}

/** An event as it is kept: what is large is named. */
export function eventOutOfLine(event: RunEvent, how: OutOfLine): Promise<RunEvent> {
  const { keepMedia } = how;
  return inParts(event, {
    value: (value) => takeOut(value, how),
    media: (content) => takeOut(content, { keepMedia, keepValue: undefined }),
  });
}

/** What is done with the parts of an event that may be large. */
interface PartWork {
  /** What may be any JSON. */
  readonly value: (value: Json) => Promise<Json>;
  /** Parts of messages, which stay that. */
  readonly media: (content: Json) => Promise<Json>;
}

async function inParts(event: RunEvent, { value, media }: PartWork): Promise<RunEvent> {
  switch (event.kind) {
    case "memory-set":
      return { ...event, value: await value(event.value) };
    case "server-log":
      return { ...event, data: await value(event.data) };
    case "tool-start":
      // An object is either itself or another object that stands for it.
      return { ...event, arguments: (await value(event.arguments)) as JsonObject };
    case "tool-end": {
      const { result } = event;
      const content = (await media(
        result.content as unknown as Json,
      )) as unknown as typeof result.content; // media stay media
      return result.kind === "success"
        ? { ...event, result: { ...result, content, value: await value(result.value) } }
        : { ...event, result: { ...result, content } };
    }
    default:
      return event;
  }
}

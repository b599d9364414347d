import { ArtifactError } from "../agent/artifact-error.ts";
import type {
  ArtifactFilter,
  ArtifactKey,
  ArtifactOwner,
  ArtifactPage,
  ArtifactSummary,
  NewArtifact,
} from "../agent/artifact-store.ts";
import { isMediaType } from "../base/media-type.ts";

/** What the stores of artifacts in this folder take. */
export interface ArtifactStoreLimits {
  /** The largest artifact, in bytes. Default 32 MiB. */
  readonly maxArtifactBytes?: number;
}

/** The default of {@link ArtifactStoreLimits.maxArtifactBytes}. */
export const defaultArtifactBytes: number = 32 * 1024 * 1024;

const longestId = 256;
const largestPage = 1_000;

/** @throws ArtifactError `artifact-invalid`, `artifact-too-large`. */
export function checkNewArtifact(artifact: NewArtifact, maxArtifactBytes: number): void {
  const { runId, session, toolCallId, mediaType, name, bytes } = artifact;
  checkOwner(artifact);
  checkText(runId, "run's id");
  for (const [text, what] of [
    [session, "session's id"],
    [toolCallId, "tool call's id"],
    [name, "artifact's name"],
  ] as const) {
    if (text !== undefined) {
      checkText(text, what);
    }
  }
  if (!isMediaType(mediaType)) {
    throw invalid(`The media type of an artifact must be like "image/png".`);
  }
  if (!(bytes instanceof Uint8Array)) {
    throw invalid("The bytes of an artifact must be a Uint8Array.");
  }
  if (bytes.length > maxArtifactBytes) {
    throw new ArtifactError(
      `The artifact has ${bytes.length} bytes; this store takes ${maxArtifactBytes} (maxArtifactBytes).`,
      { code: "artifact-too-large" },
    );
  }
}

/** @returns whether the id may name an artifact. @throws ArtifactError `artifact-invalid`. */
export function checkArtifactKey(key: ArtifactKey): boolean {
  checkOwner(key);
  return typeof key.id === "string" && /^sha256-[0-9a-f]{64}$/.test(key.id);
}

/** @returns the size of a page. @throws ArtifactError `artifact-invalid`. */
export function checkArtifactFilter(filter: ArtifactFilter): number {
  checkOwner(filter);
  const { limit = 100 } = filter;
  if (!(Number.isSafeInteger(limit) && limit >= 1 && limit <= largestPage)) {
    throw invalid(`The limit of artifacts is ${limit}; it must be from 1 to ${largestPage}.`);
  }
  return limit;
}

function checkOwner({ app, actor }: ArtifactOwner): void {
  checkText(app, "application's name");
  if (actor !== undefined) {
    checkText(actor, "actor");
  }
}

function checkText(text: string, what: string): void {
  if (typeof text !== "string" || text === "" || text.length > longestId || !text.isWellFormed()) {
    throw invalid(`The ${what} must be a text of 1 to ${longestId} characters.`);
  }
}

const invalid = (message: string): ArtifactError =>
  new ArtifactError(message, { code: "artifact-invalid" });

/** The summary of an artifact that is kept now. */
export function toSummary(
  artifact: NewArtifact,
  { id, createdAt }: { readonly id: string; readonly createdAt: number },
): ArtifactSummary {
  const { bytes, ...facts } = artifact;
  return { ...facts, id, size: bytes.length, createdAt };
}

/** The page of a filter out of all artifacts of its owner. @throws ArtifactError `artifact-invalid`. */
export function toArtifactPage(
  owned: readonly ArtifactSummary[],
  filter: ArtifactFilter,
  size: number,
): ArtifactPage {
  const { runId, session, after } = filter;
  const wanted = owned
    .filter(
      (one) =>
        (runId === undefined || one.runId === runId) &&
        (session === undefined || one.session === session),
    )
    .map((summary) => ({ summary, place: placeOf(summary) }))
    .toSorted((left, right) => (left.place < right.place ? 1 : -1));
  const rest = after === undefined ? wanted : wanted.filter(({ place }) => place < after);
  const artifacts = rest.slice(0, size);
  const last = artifacts.at(-1);
  return {
    artifacts: artifacts.map(({ summary }) => summary),
    ...(rest.length > size && last !== undefined ? { next: last.place } : {}),
  };
}

/** Where it stands among its owner's: by time, then by what tells it apart. */
const placeOf = ({ createdAt, id, runId }: ArtifactSummary): string =>
  `${String(createdAt).padStart(15, "0")} ${id} ${runId}`;

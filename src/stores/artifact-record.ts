import { ArtifactError } from "../agent/artifact-error.ts";
import type {
  ArtifactFilter,
  ArtifactHolder,
  ArtifactKey,
  ArtifactOwner,
  ArtifactPage,
  ArtifactRetention,
  ArtifactSummary,
  NewArtifact,
} from "../agent/artifact-store.ts";
import { isMediaType } from "../base/media-type.ts";
import { textProblem } from "../base/text-problem.ts";

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
  checkId(runId, "run's id");
  if (session !== undefined) {
    checkId(session, "session's id");
  }
  // A model or a server has written these: they are shown, and nothing is found by them.
  for (const [text, what] of [
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
  const { limit = 100, after } = filter;
  if (after !== undefined && !isPlace(after)) {
    throw invalid('"after" is not the "next" of a page of artifacts.');
  }
  if (!(Number.isSafeInteger(limit) && limit >= 1 && limit <= largestPage)) {
    throw invalid(`The limit of artifacts is ${limit}; it must be from 1 to ${largestPage}.`);
  }
  return limit;
}

/** @throws ArtifactError `artifact-invalid`. */
export function checkHolder(owner: ArtifactOwner, holder: ArtifactHolder): void {
  checkOwner(owner);
  if (holder.kind !== "owner") {
    checkId(holder.id, `${holder.kind}'s id`);
  }
}

/** @throws ArtifactError `artifact-invalid`, also where nothing is to be removed. */
export function checkRetention({ app, olderThanMs, maxTotalBytes }: ArtifactRetention): void {
  checkId(app, "application's name");
  if (olderThanMs === undefined && maxTotalBytes === undefined) {
    throw invalid("Say which artifacts are to be removed: olderThanMs, maxTotalBytes, or both.");
  }
  for (const [name, value] of Object.entries({ olderThanMs, maxTotalBytes })) {
    if (value !== undefined && !(Number.isFinite(value) && value >= 0)) {
      throw invalid(`${name} is ${value}; it must be a number from 0 on.`);
    }
  }
}

function checkOwner({ app, actor }: ArtifactOwner): void {
  checkId(app, "application's name");
  if (actor !== undefined) {
    checkId(actor, "actor");
  }
}

function checkId(text: string, what: string): void {
  const problem = text === "" ? `The ${what} is empty.` : textProblem(text, what, longestId);
  if (problem !== undefined) {
    throw invalid(problem);
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

/** Whether somebody holds what is recorded so. */
export const isHeldBy = (
  { session, runId }: Pick<ArtifactSummary, "session" | "runId">,
  holder: ArtifactHolder,
): boolean =>
  holder.kind === "owner" ||
  (holder.kind === "session"
    ? session === holder.id
    : session === undefined && runId === holder.id);

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
export const placeOf = ({
  createdAt,
  id,
  runId,
}: Pick<ArtifactSummary, "createdAt" | "id" | "runId">): string =>
  `${String(createdAt).padStart(15, "0")} ${id} ${runId}`;

const isPlace = (text: string): boolean => /^\d{15} sha256-[0-9a-f]{64} ./s.test(text);

/** The parts of a place that was checked; without one, all are `undefined`. */
export function partsOfPlace(
  place: string | undefined,
): readonly [createdAt?: number, id?: string, runId?: string] {
  if (place === undefined) {
    return [];
  }
  const [createdAt, id, ...rest] = place.split(" ");
  return [Number(createdAt), id ?? "", rest.join(" ")];
}

import { createHash } from "node:crypto";
import { ArtifactError } from "../agent/artifact-error.ts";
import type {
  ArtifactContent,
  ArtifactPage,
  ArtifactSummary,
  NewArtifact,
} from "../agent/artifact-store.ts";
import { parseJson } from "../base/json.ts";
import { placeOf } from "./artifact-record.ts";
import type { StoreKind } from "./store-kind.ts";

/** Databases that artifacts are kept in. */
export const artifactKind: StoreKind = {
  what: "artifacts",
  ifUnknown: "put it again",
  error: (message, options) => new ArtifactError(message, options),
};

/** A row as a driver gives it, by its columns. */
type Row = Readonly<Record<string, unknown>>;

/** The columns of a record, in the order of {@link recordValues}. */
export const recordColumns =
  "app, actor, id, run, session, tool_call, media_type, name, size, created_at";

/** The values of a new record. Whatever strangers wrote is JSON: a database may not take all characters. */
export function recordValues(
  artifact: NewArtifact,
  { id, createdAt }: { readonly id: string; readonly createdAt: number },
): readonly (string | number | null)[] {
  const { app, actor, runId, session, toolCallId, mediaType, name, bytes } = artifact;
  return [
    ...[app, actorColumn(actor), id, runId, session ?? null],
    ...[jsonOrNull(toolCallId), mediaType, jsonOrNull(name), bytes.length, createdAt],
  ];
}

/** How an actor, or none, stands in a column. */
export const actorColumn = (actor: string | undefined): string => actor ?? "";

/** @throws ArtifactError `store-corrupt`. */
export function toArtifactSummary(row: Row): ArtifactSummary {
  const { actor, session } = row;
  const toolCallId = textOf(row, "tool_call");
  const name = textOf(row, "name");
  return {
    app: String(row["app"]),
    ...(actor === "" ? {} : { actor: String(actor) }),
    runId: String(row["run"]),
    ...(typeof session === "string" ? { session } : {}),
    ...(toolCallId === undefined ? {} : { toolCallId }),
    mediaType: String(row["media_type"]),
    ...(name === undefined ? {} : { name }),
    id: String(row["id"]),
    size: Number(row["size"]),
    createdAt: Number(row["created_at"]),
  };
}

/** A record with the column `bytes` of its artifact. @throws ArtifactError `store-corrupt`. */
export function toArtifactContent(row: Row): ArtifactContent {
  const { bytes: stored } = row;
  const bytes = stored instanceof Uint8Array ? new Uint8Array(stored) : undefined;
  if (bytes === undefined || artifactIdOf(bytes) !== row["id"]) {
    throw corrupt(`The bytes of artifact ${row["id"]} are not what was stored.`);
  }
  return { ...toArtifactSummary(row), bytes };
}

/** A page of rows, of which one more than the page's size was asked for. */
export function rowsToPage(rows: readonly Row[], size: number): ArtifactPage {
  const artifacts = rows.slice(0, size).map(toArtifactSummary);
  const last = artifacts.at(-1);
  return rows.length > size && last !== undefined
    ? { artifacts, next: placeOf(last) }
    : { artifacts };
}

/** The id of bytes. */
export const artifactIdOf = (bytes: Uint8Array): string =>
  `sha256-${createHash("sha256").update(bytes).digest("hex")}`;

const jsonOrNull = (text: string | undefined): string | null =>
  text === undefined ? null : JSON.stringify(text);

function textOf(row: Row, column: string): string | undefined {
  const text = row[column] ?? null;
  const value = text === null ? undefined : parseJson(String(text));
  if (text !== null && typeof value !== "string") {
    throw corrupt(`"${column}" of artifact ${row["id"]} is not what was stored.`);
  }
  return value as string | undefined; // checked just now
}

const corrupt = (message: string): ArtifactError =>
  new ArtifactError(message, { code: "store-corrupt" });

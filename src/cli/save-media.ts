import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../base/dragoman-error.ts";
import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import type { ResultContent } from "../message/content.ts";
import { normalizeToolName } from "../tool/tool-names.ts";
import { CliError } from "./cli-error.ts";

/** A file that was written. */
export type SavedFile = {
  readonly path: string;
  readonly mediaType: string;
  readonly bytes: number;
};

/**
 * Writes the images, sounds and files of a result into a folder, each under a name that was free:
 * nothing is overwritten, and no name comes from the server.
 *
 * @throws CliError where the folder cannot be written to
 */
export async function saveMedia(
  content: readonly ResultContent[],
  { folder, tool }: { readonly folder: string; readonly tool: string },
): Promise<readonly SavedFile[]> {
  const saved: SavedFile[] = [];
  try {
    await mkdir(folder, { recursive: true });
    for (const part of content) {
      if (part.kind !== "text" && part.source.kind === "data") {
        const bytes = Buffer.from(part.source.base64, "base64");
        const stem = join(folder, normalizeToolName(tool));
        const path = await writeFresh(stem, extensionOf(part.mediaType), bytes);
        saved.push({ path, mediaType: part.mediaType, bytes: bytes.length });
      }
    }
  } catch (cause) {
    throw new CliError(`--save ${folder}: ${messageOf(cause)}`, { code: "file-unusable", cause });
  }
  return saved;
}

/** The result with the data of its media left out, for whoever has them as files. */
export function withoutMedia(result: JsonObject): JsonObject {
  const { content } = result;
  const blocks = Array.isArray(content)
    ? content.map((block: Json) => withoutData(block))
    : content;
  return { ...result, ...(blocks === undefined ? {} : { content: blocks }) };
}

function withoutData(block: Json): Json {
  if (!isJsonObject(block)) {
    return block;
  }
  const { data: _data, resource, ...rest } = block;
  if (!isJsonObject(resource)) {
    return rest;
  }
  const { blob: _blob, ...shown } = resource;
  return { ...rest, resource: shown };
}

async function writeFresh(stem: string, extension: string, bytes: Uint8Array): Promise<string> {
  for (let count = 1; ; count += 1) {
    const path = `${stem}-${count}.${extension}`;
    try {
      await writeFile(path, bytes, { flag: "wx" });
      return path;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) {
        throw error;
      }
    }
  }
}

/** By the media type alone, and no name that a system would run. */
function extensionOf(mediaType: string): string {
  const [type = "", subtype = ""] = mediaType.toLowerCase().split(";")[0]?.split("/") ?? [];
  const known = extensions[subtype.trim()];
  if (known !== undefined) {
    return known;
  }
  return /^(?:image|audio|video)$/.test(type) && /^[a-z0-9]{1,8}$/.test(subtype) ? subtype : "bin";
}

const extensions: Readonly<Record<string, string>> = {
  jpeg: "jpg",
  "svg+xml": "svg",
  mpeg: "mp3",
  "x-wav": "wav",
  pdf: "pdf",
  plain: "txt",
  json: "json",
  csv: "csv",
};

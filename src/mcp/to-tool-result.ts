import { isDeeperThan, isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import { ToolError } from "../base/tool-error.ts";
import type { MediaPart, ResultContent } from "../message/content.ts";
import { type ToolResult, toolFailure, toolSuccess } from "../tool/tool-result.ts";
import { isSaid } from "./is-said.ts";
import type { ResolvedLimits } from "./mcp-limits.ts";
import { mediaWithinLimits } from "./media-limits.ts";
import { visibleJson } from "./visible-json.ts";
import { visibleLine, visibleText } from "./visible-text.ts";

/** The result of `tools/call` as the server sent it; only that it is an object has been checked. */
export interface McpCallResult extends JsonObject {
  /** Blocks of `type` text, image, audio, resource, resource_link, and whatever comes. */
  readonly content?: Json;
  readonly structuredContent?: Json;
  readonly isError?: Json;
  readonly _meta?: Json;
}

/** What the result is of, for words in errors. */
export interface ResultOrigin {
  /** The alias of the server. */
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  readonly limits: ResolvedLimits;
}

/**
 * A server's result as ours. The value is the structured content where there is one (be it 0, false
 * or null), else the text. The model gets the blocks, and the structured content as JSON where the
 * text does not say it already. A result that the server marks as an error becomes an error with
 * the server's text, not wrapped in anything. Nothing in it is invisible, and it never throws, whatever
 * the blocks are.
 */
export function toToolResult(result: McpCallResult, origin: ResultOrigin): ToolResult {
  const { server, tool } = origin;
  const blocks: readonly Json[] = Array.isArray(result.content) ? result.content : [];
  const shown = [
    ...mediaWithinLimits(blocks.map(toContent), origin),
    ...(isDeeperThan(deepest, result.structuredContent)
      ? [note("data that is nested too deep")]
      : []),
  ];
  const texts = shown.filter((part) => part.kind === "text").map(({ text }) => text);
  const structured =
    result.structuredContent === undefined || isDeeperThan(deepest, result.structuredContent)
      ? undefined
      : visibleJson(result.structuredContent);
  const content =
    structured === undefined || isSaid(structured, texts)
      ? shown
      : [...shown, textPart(structuredText(structured, shown))];
  if (result.isError === true) {
    const unsaid = `The tool "${tool}" of the MCP server "${server}" reports an error without saying which.`;
    const message = texts.join("\n") || unsaid;
    const data = structured === undefined || structured === null ? {} : { data: structured };
    return toolFailure(
      new ToolError(message, { code: "remote-tool", ...data }),
      content.length > 0 ? content : [textPart(message)],
    );
  }
  const value = structured === undefined ? textValue(texts, shown) : structured;
  return toolSuccess(
    value,
    content.length > 0 ? content : [textPart("The tool returned nothing.")],
  );
}

/** Nobody means data of such depth, and nothing that is written for them would hold. */
const deepest = 256;

/** The text; where there is none but media, what they are. */
function textValue(texts: readonly string[], content: readonly ResultContent[]): Json {
  if (texts.length > 0 || content.length === 0) {
    return texts.join("\n");
  }
  return content.map((part) =>
    part.kind === "text" ? part.text : { kind: part.kind, mediaType: part.mediaType },
  );
}

const textPart = (text: string): ResultContent => ({ kind: "text", text });

function toContent(block: Json): ResultContent {
  const type = isJsonObject(block) ? block["type"] : undefined;
  if (!isJsonObject(block)) {
    return note("a malformed block");
  }
  switch (type) {
    case "text":
      return typeof block["text"] === "string"
        ? textPart(visibleText(block["text"]))
        : note("a malformed text");
    case "image":
    case "audio":
      return mediaPart(type, block, block["data"]) ?? note(`a malformed ${type}`);
    case "resource":
      return resourcePart(block["resource"]);
    case "resource_link":
      return linkPart(block);
    default:
      return note(`a block of the type ${JSON.stringify(shortText(type))}, which cannot be shown`);
  }
}

const note = (what: string): ResultContent => textPart(`[The tool returned ${what}.]`);

const shortText = (value: Json | undefined): string =>
  typeof value === "string" ? visibleLine(value, 200) : "unknown";

function mediaPart(
  kind: MediaPart["kind"],
  { mimeType }: JsonObject,
  base64: Json | undefined,
  name?: string,
): MediaPart | undefined {
  const mediaType = mimeType ?? (kind === "file" ? "application/octet-stream" : undefined);
  const compact = typeof base64 === "string" ? base64.replace(/\s+/g, "") : undefined;
  if (compact === undefined || !/^[A-Za-z0-9+/]*={0,2}$/.test(compact)) {
    return undefined;
  }
  if (
    typeof mediaType !== "string" ||
    !/^[\w.+-]{1,80}\/[\w.+-]{1,80}(;.{0,80})?$/.test(mediaType)
  ) {
    return undefined;
  }
  return {
    kind,
    mediaType,
    source: { kind: "data", base64: compact },
    ...(name === undefined ? {} : { name }),
  };
}

function resourcePart(resource: Json | undefined): ResultContent {
  if (!isJsonObject(resource)) {
    return note("a malformed resource");
  }
  if (typeof resource["text"] === "string") {
    return textPart(visibleText(resource["text"]));
  }
  const name = nameIn(resource["uri"]);
  return mediaPart("file", resource, resource["blob"], name) ?? note("a malformed resource");
}

/** The last part of a URI's path. */
function nameIn(uri: Json | undefined): string | undefined {
  const [last] = typeof uri === "string" ? (/[^/?#]+(?=[?#]|$)/.exec(uri) ?? []) : [];
  return last === undefined ? undefined : visibleLine(last, 100);
}

function linkPart({ uri, name, mimeType }: JsonObject): ResultContent {
  if (typeof uri !== "string") {
    return note("a malformed link");
  }
  const type = typeof mimeType === "string" ? `, ${shortText(mimeType)}` : "";
  const label = typeof name === "string" ? `${shortText(name)}: ` : "";
  return textPart(`[Resource ${label}${visibleLine(uri, 2000)}${type}]`);
}

/** Structured content as JSON; media that are among the blocks anyway are not repeated as text. */
function structuredText(structured: Json, content: readonly ResultContent[]): string {
  const media = new Map(
    content.flatMap((part) =>
      part.kind !== "text" && part.source.kind === "data"
        ? [[part.source.base64, `[${part.mediaType}, attached]`] as const]
        : [],
    ),
  );
  return JSON.stringify(structured, (_key, inner: Json) =>
    typeof inner === "string" ? (media.get(inner) ?? inner) : inner,
  );
}

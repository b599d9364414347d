import { canonicalJson } from "../../base/canonical-json.ts";
import { isDeeperThan, isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { ToolError } from "../../base/tool-error.ts";
import type { ResultContent } from "../../message/content.ts";
import type { DeferredArtifact } from "../../tool/artifact.ts";
import { type ToolResult, toolFailure, toolSuccess } from "../../tool/tool-result.ts";
import { isSaid } from "../text/is-said.ts";
import { visibleJson } from "../text/visible-json.ts";
import type { ResolvedLimits } from "../wire/mcp-limits.ts";
import { mediaWithinLimits } from "./media-limits.ts";
import { type BlockContent, noteOf, toBlockContent } from "./result-block.ts";

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
 * text does not say it already. Embedded resources are files, links deferred artifacts that nobody
 * follows by itself. A result that the server marks as an error becomes an error with the server's
 * text, not wrapped in anything. Nothing in it is invisible, and it never throws, whatever the blocks
 * are.
 */
export function toToolResult(result: McpCallResult, origin: ResultOrigin): ToolResult {
  const { server, tool } = origin;
  const { parts, texts, artifacts } = readBlocks(result, origin);
  const isTooDeep = isDeeperThan(deepest, result.structuredContent);
  const shown = isTooDeep ? [...parts, noteOf("data that is nested too deep")] : parts;
  const structured =
    isTooDeep || result.structuredContent === undefined
      ? undefined
      : visibleJson(result.structuredContent);
  const content =
    structured === undefined || isSaid(structured, texts) || isEcho(structured, result.content)
      ? shown
      : [...shown, textPart(structuredText(structured, shown, texts))];
  if (result.isError === true) {
    const unsaid = `The tool "${tool}" of the MCP server "${server}" reports an error without saying which.`;
    const message = texts.join("\n") || unsaid;
    const data = structured === undefined || structured === null ? {} : { data: structured };
    return toolFailure(new ToolError(message, { code: "remote-tool", ...data }), {
      content: content.length > 0 ? content : [textPart(message)],
      artifacts,
    });
  }
  const value = structured === undefined ? valueWithout(texts, shown, artifacts) : structured;
  const isEmpty = content.length === 0 && artifacts.length === 0;
  return toolSuccess(value, {
    content: isEmpty ? [textPart("The tool returned nothing.")] : content,
    artifacts,
  });
}

/** Nobody means data of such depth, and nothing that is written for them would hold. */
const deepest = 256;

/** More links than anybody follows are counted only. */
const mostLinks = 50;

interface ReadBlocks {
  readonly parts: readonly ResultContent[];
  /** What the parts say in words, texts of embedded resources among it. */
  readonly texts: readonly string[];
  readonly artifacts: readonly DeferredArtifact[];
}

function readBlocks({ content }: McpCallResult, origin: ResultOrigin): ReadBlocks {
  const blocks: readonly Json[] = Array.isArray(content) ? content : [];
  const read = blocks.map((block) => toBlockContent(block, origin.server));
  const links = read.filter((block) => block.kind === "link").map(({ artifact }) => artifact);
  const inline = read.filter(isPart);
  const parts = mediaWithinLimits(
    inline.map(({ part }) => part),
    origin,
  );
  const texts = parts.flatMap((part, index): readonly string[] => {
    const { text } = inline[index] ?? {};
    return text === undefined ? (part.kind === "text" ? [part.text] : []) : [text];
  });
  const more = links.length - mostLinks;
  return {
    parts: more > 0 ? [...parts, noteOf(`${more} more links, which are left out`)] : parts,
    texts,
    artifacts: links.slice(0, mostLinks),
  };
}

const isPart = (block: BlockContent): block is Extract<BlockContent, { readonly kind: "part" }> =>
  block.kind === "part";

/** The text; where there is none, what there is instead. */
function valueWithout(
  texts: readonly string[],
  content: readonly ResultContent[],
  artifacts: readonly DeferredArtifact[],
): Json {
  if (texts.length > 0 || content.length + artifacts.length === 0) {
    return texts.join("\n");
  }
  const media = content.map((part) =>
    part.kind === "text" ? part.text : { kind: part.kind, mediaType: part.mediaType },
  );
  const links = artifacts.map(({ reference, mediaType }) => ({
    kind: "link",
    reference,
    mediaType,
  }));
  return [...media, ...links];
}

const textPart = (text: string): ResultContent => ({ kind: "text", text });

/** Whether the structured content is the list of blocks over again, by itself or wrapped. */
function isEcho(structured: Json, blocks: Json | undefined): boolean {
  const inner = isJsonObject(structured) ? Object.values(structured) : [];
  const list = inner.length === 1 ? inner[0] : structured;
  return (
    Array.isArray(blocks) &&
    Array.isArray(list) &&
    list.length === blocks.length &&
    list.length > 0 &&
    !isDeeperThan(deepest, blocks) &&
    canonicalJson(list) === canonicalJson(blocks)
  );
}

/** Of texts as short as this it does not matter whether they stand there twice. */
const shortText = 200;

/** Structured content as JSON; media and long texts that are among the blocks are not repeated. */
function structuredText(
  structured: Json,
  content: readonly ResultContent[],
  texts: readonly string[],
): string {
  const said = new Map<string, string>();
  for (const part of content) {
    if (part.kind !== "text" && part.source.kind === "data") {
      said.set(part.source.base64, `[${part.mediaType}, attached]`);
    }
  }
  for (const text of texts.filter(({ length }) => length > shortText)) {
    said.set(text, "[the text above]");
  }
  return JSON.stringify(structured, (_key, inner: Json) =>
    typeof inner === "string" ? (said.get(inner) ?? inner) : inner,
  );
}

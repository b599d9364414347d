import { fromBase64 } from "../base/base64.ts";
import { isTextType } from "../base/media-type.ts";
import type { MediaPart, ResultContent, TextPart } from "../message/content.ts";
import type { Model, ModelCapabilities } from "../model/model.ts";
import type { Artifact, DeferredArtifact, StoredArtifact } from "../tool/artifact.ts";
import { readArtifactName } from "../tool/own-tools.ts";
import type { ToolResult } from "../tool/tool-result.ts";
import { cutText, shareOf } from "./cut-text.ts";
import type { ReadTool } from "./read-tool.ts";
import type { RunArtifacts } from "./run-artifacts.ts";

/** What results are presented with. */
export interface PresentScope extends ReadTool {
  readonly artifacts: RunArtifacts;
  /** The models that may read the result. */
  readonly models: readonly Model[];
  /** How many characters of text one result may have. */
  readonly maxResultCharacters: number;
}

/** The call whose result is presented. */
export interface PresentedCall {
  readonly id: string;
  readonly name: string;
  /** How many calls the turn has. */
  readonly callsInTurn: number;
  /** Whether the text is a part that was asked for, and so not to be cut again. */
  readonly isPart: boolean;
}

/**
 * A tool's result as the model gets it. Files become artifacts of the run. Of each the model is shown
 * one thing: its text, the medium itself where a model of the run takes it, or else words that name
 * the artifact. Text beyond the limit is cut, and the whole is an artifact.
 *
 * The result's `artifacts` are without bytes after it.
 *
 * @throws the signal's reason of the run.
 */
export async function presentResult(
  result: ToolResult,
  call: PresentedCall,
  scope: PresentScope,
): Promise<ToolResult> {
  const given = result.kind === "pending" ? [] : (result.artifacts ?? []);
  const presenting = new Presenting(call, scope);
  for (const part of result.content) {
    await presenting.addPart(part);
  }
  for (const artifact of given) {
    await presenting.addArtifact(artifact);
  }
  const content = await presenting.finish();
  const { artifacts } = presenting;
  if (artifacts.length === 0 && given.length === 0 && isSame(content, result.content)) {
    return result;
  }
  return result.kind === "pending" ? { ...result, content } : { ...result, content, artifacts };
}

const isSame = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((part, index) => part === other[index]);

class Presenting {
  readonly artifacts: Artifact[] = [];
  readonly #call: PresentedCall;
  readonly #scope: PresentScope;
  readonly #content: ResultContent[] = [];
  readonly #shown = new Set<string>();

  constructor(call: PresentedCall, scope: PresentScope) {
    this.#call = call;
    this.#scope = scope;
  }

  async addPart(part: ResultContent): Promise<void> {
    const bytes =
      part.kind !== "text" && part.source.kind === "data"
        ? fromBase64(part.source.base64)
        : undefined;
    if (part.kind === "text" || bytes === undefined) {
      this.#content.push(part);
      return;
    }
    const stored = await this.#scope.artifacts.keep(bytes, part, this.#call.id);
    this.#list(stored);
    this.#show(part, bytes, stored);
  }

  async addArtifact(artifact: Artifact): Promise<void> {
    if (artifact.kind === "deferred") {
      const id = await this.#scope.artifacts.refer(artifact, this.#call.id);
      if (id !== undefined && !this.#shown.has(id)) {
        this.#shown.add(id);
        this.artifacts.push(artifact);
        this.#say(this.#wordsForReference(artifact, id));
      }
      return;
    }
    if (artifact.kind === "stored") {
      this.#list(artifact);
      this.#say(this.#wordsFor(artifact, artifact));
      return;
    }
    const { mediaType, name, base64 } = artifact;
    const bytes = fromBase64(base64) ?? new Uint8Array();
    const stored = await this.#scope.artifacts.keep(bytes, artifact, this.#call.id);
    if (stored !== undefined && this.#shown.has(stored.id)) {
      return; // it stands in the content
    }
    this.#list(stored);
    const named = name === undefined ? {} : { name };
    const source = { kind: "data", base64 } as const;
    this.#show({ kind: kindOf(mediaType), mediaType, source, ...named }, bytes, stored);
  }

  async finish(): Promise<readonly ResultContent[]> {
    const { id, name, callsInTurn, isPart } = this.#call;
    const { artifacts, maxResultCharacters } = this.#scope;
    const texts = this.#content.filter((part): part is TextPart => part.kind === "text");
    const length = texts.reduce((sum, { text }) => sum + text.length, 0);
    const most = shareOf(maxResultCharacters, callsInTurn);
    if (isPart || length <= most) {
      return this.#content;
    }
    const whole = texts.map(({ text }) => text).join("\n");
    const label = { mediaType: "text/plain", name: `${name}.txt` };
    const kept = await artifacts.keep(new TextEncoder().encode(whole), label, id);
    this.#list(kept);
    const where =
      kept === undefined
        ? "Ask for less at once."
        : `The whole is artifact ${kept.id}.${this.#how(true)}`;
    const media = this.#content.filter(({ kind }) => kind !== "text");
    return [{ kind: "text", text: cutText(whole, most, where) }, ...media];
  }

  #list(stored: StoredArtifact | undefined): void {
    if (stored !== undefined && !this.#shown.has(stored.id)) {
      this.#shown.add(stored.id);
      this.artifacts.push(stored);
    }
  }

  /** Its text, the medium, or words: one of them. */
  #show(part: MediaPart, bytes: Uint8Array<ArrayBuffer>, stored: StoredArtifact | undefined): void {
    const text = isTextType(part.mediaType) && part.kind === "file" ? decode(bytes) : undefined;
    if (text !== undefined) {
      this.#say(text);
    } else if (this.#scope.models.some(({ capabilities }) => takes(capabilities, part))) {
      this.#content.push(stored === undefined ? part : { ...part, artifact: stored.id });
    } else {
      this.#say(this.#wordsFor({ ...part, size: bytes.length }, stored));
    }
  }

  #say(text: string): void {
    this.#content.push({ kind: "text", text });
  }

  #wordsFor(file: FileFacts, stored: StoredArtifact | undefined): string {
    const where = stored === undefined ? "was not kept" : `is artifact ${stored.id}`;
    return `[${describe(file)} ${where}. You cannot see it.]`;
  }

  /** How the model reads an artifact; whoever is told so has the tool from then on. */
  #how(isReadable: boolean): string {
    return isReadable && this.#scope.offerReadTool()
      ? ` Read parts of it with ${readArtifactName}.`
      : "";
  }

  #wordsForReference(artifact: DeferredArtifact, id: string): string {
    const how = this.#how(this.#scope.artifacts.canFetch(artifact));
    return `[${describe(artifact)} is at ${artifact.reference}, as artifact ${id}.${how}]`;
  }
}

interface FileFacts {
  readonly mediaType: string;
  readonly name?: string;
  readonly size?: number;
}

function describe({ mediaType, name, size }: FileFacts): string {
  const facts = size === undefined ? mediaType : `${mediaType}, ${size} bytes`;
  return name === undefined ? `A file (${facts})` : `The file ${JSON.stringify(name)} (${facts})`;
}

/** Whether a model reads a medium. What is no picture, sound or PDF is read by none. */
function takes(
  { images, audio = false, documents = false }: ModelCapabilities,
  { kind, mediaType }: MediaPart,
): boolean {
  switch (kind) {
    case "image":
      return images;
    case "audio":
      return audio;
    case "file":
      return documents && /^application\/pdf(?:;|$)/i.test(mediaType);
  }
}

/** The kind of part that a medium is. */
function kindOf(mediaType: string): MediaPart["kind"] {
  const [kind] = mediaType.split("/");
  return (kind === "image" && !isTextType(mediaType)) || kind === "audio" ? kind : "file";
}

/** `undefined` where the bytes are no UTF-8. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

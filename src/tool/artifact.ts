import { base64Size, toBase64 } from "../base/base64.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { isMediaType } from "../base/media-type.ts";

/** Bytes that a tool gives with its result. */
export type InlineArtifact = {
  readonly kind: "inline";
  /** A MIME type such as `application/pdf`. */
  readonly mediaType: string;
  /** A file name to show; it is never used as a path. */
  readonly name?: string;
  /** In bytes. */
  readonly size: number;
  readonly base64: string;
};

/**
 * Bytes that are somewhere else. The application's resolver fetches them when somebody wants them, and
 * checks then whose they are.
 */
export type DeferredArtifact = {
  readonly kind: "deferred";
  /** What the application knows the bytes by: an id or a URI. It is stored and shown: no credential. */
  readonly reference: string;
  readonly mediaType: string;
  readonly name?: string;
  /** In bytes, where it is known beforehand. */
  readonly size?: number;
  /** The alias of the MCP server that named it. */
  readonly server?: string;
};

/** Bytes that the run keeps: how a result names them once they are taken out of it. */
export type StoredArtifact = {
  readonly kind: "stored";
  /** `sha256-` and the hexadecimal SHA-256 of the bytes, so that equal bytes are one artifact. */
  readonly id: string;
  readonly mediaType: string;
  readonly name?: string;
  readonly size: number;
};

/** A file that belongs to a tool's result: its bytes, or where they are. Plain JSON. */
export type Artifact = InlineArtifact | DeferredArtifact | StoredArtifact;

/** What an artifact is, besides its bytes. */
export interface ArtifactLabel {
  /** A MIME type such as `image/png`. */
  readonly mediaType: string;
  /** A file name to show. */
  readonly name?: string;
}

/** Makes artifacts for the results of tools. */
export const Artifact = {
  /**
   * An artifact of bytes, or of a text.
   *
   * @throws ConfigurationError where the media type is none.
   */
  inline({
    data,
    mediaType,
    name,
  }: ArtifactLabel & { readonly data: Uint8Array | string }): InlineArtifact {
    checkMediaType(mediaType);
    const base64 = toBase64(typeof data === "string" ? new TextEncoder().encode(data) : data);
    return { kind: "inline", ...labelOf({ mediaType, name }), size: base64Size(base64), base64 };
  },

  /**
   * An artifact whose bytes are fetched later, by the resolver in `configure({ artifacts })`.
   *
   * @throws ConfigurationError where the reference is empty or a URL with a user in it, or the media
   *   type is none.
   */
  deferred({
    reference,
    mediaType,
    name,
    size,
  }: ArtifactLabel & { readonly reference: string; readonly size?: number }): DeferredArtifact {
    checkMediaType(mediaType);
    if (typeof reference !== "string" || reference === "") {
      throw invalid("A deferred artifact needs a reference: a text that its resolver knows.");
    }
    const url = URL.parse(reference);
    if (url !== null && (url.username !== "" || url.password !== "")) {
      throw invalid(
        "The reference of an artifact holds a user or a password. References are stored and shown: leave credentials to the resolver.",
      );
    }
    const known = size === undefined ? {} : { size };
    return { kind: "deferred", reference, ...labelOf({ mediaType, name }), ...known };
  },
};

function checkMediaType(mediaType: unknown): void {
  if (!isMediaType(mediaType)) {
    throw invalid(
      `The media type of an artifact must be like "image/png", got ${JSON.stringify(mediaType)}.`,
    );
  }
}

const labelOf = ({
  mediaType,
  name,
}: {
  readonly mediaType: string;
  readonly name: string | undefined;
}): ArtifactLabel => ({ mediaType, ...(name === undefined ? {} : { name }) });

const invalid = (message: string): ConfigurationError =>
  new ConfigurationError(message, { code: "invalid-definition" });

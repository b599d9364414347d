import { pipeline, type Readable } from "node:stream";
import { constants, createBrotliDecompress, createUnzip } from "node:zlib";

/** What we ask servers for. */
export const acceptedEncodings = "gzip, deflate, br";

/**
 * The stream with its content codings taken off (RFC 9110, 8.4), or `undefined` where there is none
 * or one that we do not know. What has come is passed on at once, not when a block is full: events
 * under gzip arrive one by one. Destroying the result destroys `source`.
 */
export function decodeContent(
  source: Readable,
  contentEncoding: string | undefined,
): Readable | undefined {
  if (contentEncoding === undefined) {
    return undefined; // as most answers are
  }
  const codings = contentEncoding
    .split(",")
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== "" && coding !== "identity");
  const decoders = codings.toReversed().map(decoderOf);
  if (decoders.length === 0 || decoders.length > mostCodings) {
    return undefined;
  }
  let decoded = source;
  for (const create of decoders) {
    if (create === undefined) {
      return undefined;
    }
    // The error reaches the reader through the last stream, which the pipeline destroys with it.
    decoded = pipeline(decoded, create(), () => {});
  }
  return decoded;
}

/** Each coding multiplies what a small body can grow to. */
const mostCodings = 2;

type Decoder = NodeJS.ReadWriteStream & Readable;

function decoderOf(coding: string): (() => Decoder) | undefined {
  switch (coding) {
    case "gzip":
    case "x-gzip":
    case "deflate":
      // A server that ends without the trailer has still said all that it had to say.
      return () => createUnzip({ finishFlush: constants.Z_SYNC_FLUSH });
    case "br":
      return () => createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH });
    default:
      return undefined;
  }
}

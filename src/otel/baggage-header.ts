import {
  type Baggage,
  type BaggageEntry,
  baggageEntryMetadataFromString,
  propagation,
} from "@opentelemetry/api";

/** The longest header that others must take (W3C Baggage). */
const mostCharacters = 8_192;

/** Baggage as the value of its header; entries that do not fit any more are left out. */
export function toBaggageHeader(baggage: Baggage): string {
  let header = "";
  for (const [key, { value, metadata }] of baggage.getAllEntries()) {
    const more = metadata === undefined ? "" : `;${metadata.toString()}`;
    const entry = `${encodeURIComponent(key)}=${encodeURIComponent(value)}${more}`;
    const joined = header === "" ? entry : `${header},${entry}`;
    if (joined.length <= mostCharacters) {
      header = joined;
    }
  }
  return header;
}

/** What a header says; entries that are none are left out. */
export function fromBaggageHeader(header: string): Baggage {
  const entries: Record<string, BaggageEntry> = {};
  for (const part of header.split(",")) {
    const [pair = "", ...metadata] = part.split(";");
    const [key = "", ...value] = pair.split("=");
    const name = decoded(key.trim());
    const text = decoded(value.join("=").trim());
    if (name !== undefined && name !== "" && text !== undefined && value.length > 0) {
      const more = metadata.join(";").trim();
      entries[name] = {
        value: text,
        ...(more === "" ? {} : { metadata: baggageEntryMetadataFromString(more) }),
      };
    }
  }
  return propagation.createBaggage(entries);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

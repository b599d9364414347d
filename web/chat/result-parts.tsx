import type { VNode } from "preact";
import type { AgUiContentPart, AgUiSource } from "../../src/ag-ui/ag-ui-event.ts";
import { safeLink } from "../markdown/safe-link.ts";
import { LongText, prettyJson } from "../pieces/long-text.tsx";
import type { FileNote } from "./chat-item.ts";
import { isPicture } from "./is-picture.ts";
import { StoredFile } from "./stored-file.tsx";

/** What came of a call: its texts, or the pictures, sounds and files that it gave. */
export function ResultParts({
  parts,
  files,
  show,
}: {
  readonly parts: readonly AgUiContentPart[];
  readonly files: readonly FileNote[];
  readonly show: "text" | "media";
}): VNode | null {
  if (show === "text") {
    const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
    const text = texts.join("\n");
    return text === "" ? (
      <p class="hint">{parts.length === 0 ? "Nothing." : "No text; see the files below."}</p>
    ) : (
      <LongText text={prettyJson(text)} label="Result" />
    );
  }
  const media = parts.filter((part) => part.type !== "text");
  // What is sent along need not be fetched.
  const rest = files.filter(
    ({ mediaType }) => !media.some(({ source }) => isOfType(source, mediaType)),
  );
  if (media.length + rest.length === 0) {
    return null;
  }
  return (
    <ul class="media" aria-label="Files of the result">
      {media.map((part, index) => (
        <li key={index}>
          <SentMedium part={part} />
        </li>
      ))}
      {rest.map((file) => (
        <li key={file.id}>
          <StoredFile file={file} />
        </li>
      ))}
    </ul>
  );
}

const isOfType = (source: AgUiSource, mediaType: string): boolean =>
  source.type === "data" && source.mimeType === mediaType;

function SentMedium({
  part: { type, source },
}: {
  readonly part: Exclude<AgUiContentPart, { readonly type: "text" }>;
}): VNode {
  if (source.type === "data") {
    const { value, mimeType } = source;
    const address = `data:${mimeType};base64,${value}`;
    if (isPicture(mimeType)) {
      return <img class="picture" src={address} alt="A result of the tool" />;
    }
    if (type === "audio" && /^audio\/[\w.+-]+$/.test(mimeType)) {
      // biome-ignore lint/a11y/useMediaCaption: nobody has written what a tool's sound says
      return <audio controls src={address} />;
    }
    return (
      <a
        class="button"
        href={address}
        download={`result.${mimeType.split("/")[1] ?? "bin"}`}
      >{`Download ${mimeType}`}</a>
    );
  }
  const target = safeLink(source.value);
  return target === undefined ? (
    <code>{source.value}</code>
  ) : (
    <a href={target} target="_blank" rel="noopener noreferrer">
      {source.value}
    </a>
  );
}

import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { formatBytes } from "../pieces/format.ts";
import { Icon } from "../pieces/icon.tsx";
import { ask } from "../wire/api.ts";
import type { FileNote } from "./chat-item.ts";
import { isPicture } from "./is-picture.ts";

/** Larger pictures are shown when somebody asks for them. */
const largestPicture = 5_000_000;

/** A file that the server keeps: a picture that is shown, or something to download. */
export function StoredFile({ file }: { readonly file: FileNote }): VNode {
  const { id, mediaType, name, size, reference } = file;
  const [address, setAddress] = useState<string | undefined>();
  const [problem, setProblem] = useState<string | undefined>();
  const isShown = isPicture(mediaType) && (size ?? 0) <= largestPicture && reference === undefined;
  useEffect(() => {
    if (!isShown) {
      return;
    }
    const leaving = new AbortController();
    let made: string | undefined;
    fetchFile(id, leaving.signal).then(
      (blob) => {
        made = URL.createObjectURL(blob);
        setAddress(made);
      },
      (error: Error) => !leaving.signal.aborted && setProblem(error.message),
    );
    return () => {
      leaving.abort();
      if (made !== undefined) {
        URL.revokeObjectURL(made);
      }
    };
  }, [id, isShown]);
  const shownName = name ?? `${mediaType} file`;
  if (address !== undefined) {
    return <img class="picture" src={address} alt={name ?? "A result of the tool"} />;
  }
  const save = (): void => {
    fetchFile(id).then(
      (blob) => saveAs(blob, name ?? `${id}.${mediaType.split("/")[1] ?? "bin"}`),
      (error: Error) => setProblem(error.message),
    );
  };
  return (
    <span class="file">
      <Icon name="file" />
      <span class="file-name">{shownName}</span>
      <span class="hint">
        {mediaType}
        {size !== undefined && `, ${formatBytes(size)}`}
      </span>
      {reference === undefined ? (
        <button type="button" class="small" onClick={save}>
          Download
        </button>
      ) : (
        <span class="hint">stays at its server</span>
      )}
      {problem !== undefined && (
        <span class="fault">
          {problem} Where nothing keeps files, configure a store of artifacts.
        </span>
      )}
    </span>
  );
}

async function fetchFile(id: string, signal?: AbortSignal): Promise<Blob> {
  const path = `/artifacts/${encodeURIComponent(id)}`;
  return (await ask(path, signal === undefined ? {} : { signal })).blob();
}

/** Saves and never shows: a file may hold what would run in a page. */
function saveAs(blob: Blob, name: string): void {
  const address = URL.createObjectURL(new Blob([blob], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

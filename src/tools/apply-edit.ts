import { WorkspaceError } from "./workspace-error.ts";
import { shownPath } from "./workspace-path.ts";

/** A replacement of text. */
export interface Edit {
  /** What is replaced, exactly as it stands in the file. */
  readonly oldText: string;
  readonly newText: string;
  /** Whether every place is replaced. Default false: there must be exactly one. */
  readonly all?: boolean | undefined;
}

/** A text after an edit. */
export interface EditedText {
  readonly text: string;
  /** The lines at which something was replaced, counted from 1, in the text as it was. */
  readonly lines: readonly number[];
}

/**
 * Replaces a text literally. Where the file ends its lines with CR LF, an `oldText` with LF fits as well,
 * and `newText` gets the file's line ends.
 *
 * @throws WorkspaceError `no-match`.
 */
export function applyEdit(before: string, edit: Edit, path: string): EditedText {
  const { all = false } = edit;
  if (edit.oldText === "") {
    throw noMatch(`The text to replace in ${shownPath(path)} is empty.`);
  }
  const { oldText, newText, places } = findPlaces(before, edit);
  const lines = linesOf(before, places);
  if (places.length === 0) {
    throw noMatch(
      `The text to replace is not in ${shownPath(path)}. It must be exactly as in the file, with all blanks and line ends: read the file again.`,
    );
  }
  if (places.length > 1 && !all) {
    const shown = lines.slice(0, mostShown).join(", ");
    throw noMatch(
      `The text to replace is ${places.length} times in ${shownPath(path)}, at lines ${shown}${lines.length > mostShown ? " …" : ""}. Give more of what is around it, or set "all" to replace each.`,
    );
  }
  return { text: before.split(oldText).join(newText), lines };
}

const mostShown = 10;

function findPlaces(
  before: string,
  { oldText, newText }: Edit,
): { readonly oldText: string; readonly newText: string; readonly places: readonly number[] } {
  const places = placesOf(before, oldText);
  const isOtherEnds = places.length === 0 && oldText.includes("\n") && before.includes("\r\n");
  if (!isOtherEnds) {
    return { oldText, newText, places };
  }
  const [oldWindows, newWindows] = [withWindowsEnds(oldText), withWindowsEnds(newText)];
  return { oldText: oldWindows, newText: newWindows, places: placesOf(before, oldWindows) };
}

/** The same places that `split` divides at: none begins within another. */
function placesOf(text: string, part: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) {
    places.push(at);
  }
  return places;
}

function linesOf(text: string, places: readonly number[]): readonly number[] {
  const lines: number[] = [];
  let line = 1;
  let lineEnd = endAfter(text, 0);
  for (const place of places) {
    while (lineEnd < place) {
      line += 1;
      lineEnd = endAfter(text, lineEnd + 1);
    }
    lines.push(line);
  }
  return lines;
}

function endAfter(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}

const withWindowsEnds = (text: string): string => text.replace(/\r?\n/g, "\r\n");

const noMatch = (message: string): WorkspaceError =>
  new WorkspaceError(message, { fault: "no-match" });

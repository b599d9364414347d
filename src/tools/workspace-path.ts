import { WorkspaceError } from "./workspace-error.ts";

/** Where a workspace is seen in a sandbox; paths that programs print begin there. */
export const workspacePlace = "/workspace";

/**
 * A path as a model writes it, `project/src/a.ts`, taken apart: without `.`, and with `..` done.
 * `/workspace/project/src/a.ts` is the same, as programs in a sandbox write it.
 *
 * @throws WorkspaceError `outside` for any other absolute path, and where `..` leads out.
 */
export function segmentsOf(path: string): readonly string[] {
  const fault = faultOf(path);
  if (fault !== undefined) {
    throw outside(path, fault);
  }
  const segments: string[] = [];
  for (const segment of withoutPlace(path).split("/")) {
    if (segment === "..") {
      if (segments.pop() === undefined) {
        throw outside(path, "leads out of the workspace");
      }
    } else if (segment !== "" && segment !== ".") {
      segments.push(segment);
    }
  }
  return segments;
}

/** A path as it is written in messages: short, and on one line. */
export function shownPath(path: string): string {
  const plain = path.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\ufffd");
  return JSON.stringify(plain.length > longestShown ? `${plain.slice(0, longestShown)}…` : plain);
}

/** Whether a name can be one of an entry of a folder, on whatever system this is. */
export function isPlainName(name: string, platform: NodeJS.Platform): boolean {
  if (/^\.{0,2}$/.test(name) || name.includes("/") || name.includes("\u0000")) {
    return false;
  }
  // There a backslash divides folders, a colon begins a stream, and some names are devices.
  return (
    platform !== "win32" ||
    !(/[\\:]|[. ]$/.test(name) || /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name))
  );
}

const longestShown = 300;
const longestPath = 4096;

function faultOf(path: string): string | undefined {
  if (path.includes("\u0000")) {
    return "holds a NUL character";
  }
  if (path.length > longestPath) {
    return `is longer than ${longestPath} characters`;
  }
  return withoutPlace(path).startsWith("/") || /^[a-z]:[\\/]/i.test(path)
    ? "is an absolute path: write it from a root of the workspace"
    : undefined;
}

const withoutPlace = (path: string): string =>
  path === workspacePlace || path.startsWith(`${workspacePlace}/`)
    ? path.slice(workspacePlace.length + 1)
    : path;

const outside = (path: string, why: string): WorkspaceError =>
  new WorkspaceError(`The path ${shownPath(path)} ${why}.`, { fault: "outside" });

import { digestOf } from "../base/digest.ts";

/** The longest name that every provider takes. */
const longestName = 64;

/** Whether a tool may be called `name`. Every provider takes it, save that Gemini wants a letter or `_` first. */
export function isValidToolName(name: unknown): name is string {
  return typeof name === "string" && /^[A-Za-z0-9_-]{1,64}$/.test(name);
}

/**
 * A name that every provider takes, made of any name, the same in every process. What is not allowed becomes `_`; one
 * that begins with a digit gets `tool_` before it; a name that is cut, or of which nothing readable is
 * left, ends with a digest of the original.
 */
export function normalizeToolName(name: string): string {
  const readable = name
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/[^A-Za-z0-9_-]+/g, "_")
    .replace(/^[_-]+|_+$/g, "");
  if (readable === "") {
    return `tool_${shortDigestOf(name)}`;
  }
  const plain = /^\d/.test(readable) ? `tool_${readable}` : readable;
  return plain.length <= longestName
    ? plain
    : `${plain.slice(0, longestName - 9)}_${shortDigestOf(name)}`;
}

/** Tells names apart that are the same once they are made valid. */
const shortDigestOf = (name: string): string => digestOf(name).slice(0, 8);

/** A tool that wants a name. */
export interface NameRequest {
  readonly name: string;
  /** The server's alias; absent for the application's own tools, whose names stand. */
  readonly server?: string | undefined;
}

/**
 * One valid name for each request, in order, all different (also when case, `-` and `_` are not told
 * apart). A native tool keeps its name; a server's name stands unless it collides, and then every
 * colliding server's tool becomes `<server>_<name>`.
 */
export function uniqueToolNames(requests: readonly NameRequest[]): readonly string[] {
  const wanted = requests.map(({ name, server }) =>
    server === undefined ? name : normalizeToolName(name),
  );
  const counts = countBy(wanted.map(foldToolName));
  const qualified = wanted.map((name, index) => {
    const server = requests[index]?.server;
    return server !== undefined && (counts.get(foldToolName(name)) ?? 0) > 1
      ? normalizeToolName(`${server}_${name}`)
      : name;
  });
  return settle(requests, qualified);
}

/** Prefixing can collide in its turn (`a` + `b_c`, `a_b` + `c`): those get a digest of their origin. */
function settle(requests: readonly NameRequest[], names: readonly string[]): readonly string[] {
  const counts = countBy(names.map(foldToolName));
  const taken = new Set<string>();
  const asked = new Map<string, number>();
  return names.map((name, index) => {
    const server = requests[index]?.server;
    const source = `${server}\u0000${requests[index]?.name}`;
    const turn = asked.get(source) ?? 0;
    asked.set(source, turn + 1);
    if (
      server === undefined ||
      ((counts.get(foldToolName(name)) ?? 0) === 1 && !taken.has(foldToolName(name)))
    ) {
      taken.add(foldToolName(name));
      return name;
    }
    // Of where it comes from and nothing else: it is the same beside whatever other tools.
    const unique = `${name.slice(0, longestName - 9)}_${shortDigestOf(`${source}\u0000${turn}`)}`;
    taken.add(foldToolName(unique));
    return unique;
  });
}

/** What of a valid name counts when names are compared: not the case, and no difference of `-` and `_`. */
export const foldToolName = (name: string): string => name.toLowerCase().replaceAll("-", "_");

function countBy(keys: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) {
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** How large a JSON value is. */
export interface JsonSize {
  /** Values in it, itself among them. */
  nodes: number;
  /** Of its text without blanks, in bytes, save for what JSON writes as escapes. */
  bytes: number;
  depth: number;
  /** Patterns of a schema: of texts, and of names of properties. */
  patterns: number;
  /** The longest of them, in bytes. */
  longestPattern: number;
}

/**
 * Measures a value, however deep it is, and stops after `mostNodes`: what is larger has more nodes
 * than that, and the rest of the measure is too small.
 */
export function jsonSize(root: unknown, mostNodes: number): Readonly<JsonSize> {
  const size: JsonSize = { nodes: 1, bytes: 0, depth: 0, patterns: 0, longestPattern: 0 };
  const waiting: (readonly [value: unknown, depth: number])[] = [[root, 1]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [value, depth] = next;
    size.depth = Math.max(size.depth, depth);
    if (typeof value !== "object" || value === null) {
      size.bytes += typeof value === "string" ? quotedBytes(value) : String(value).length;
      continue;
    }
    const names = Array.isArray(value) ? undefined : Object.keys(value);
    const parts: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    size.nodes += parts.length;
    if (size.nodes > mostNodes) {
      return size;
    }
    size.bytes += 2 + parts.length;
    for (const [index, part] of parts.entries()) {
      measureName(names?.[index], part, size);
      waiting.push([part, depth + 1]);
    }
  }
  return size;
}

const quotedBytes = (text: string): number => Buffer.byteLength(text) + 2;

function measureName(name: string | undefined, value: unknown, size: JsonSize): void {
  if (name === undefined) {
    return;
  }
  size.bytes += quotedBytes(name) + 1;
  for (const pattern of patternsAt(name, value)) {
    size.patterns += 1;
    size.longestPattern = Math.max(size.longestPattern, Buffer.byteLength(pattern));
  }
}

function patternsAt(name: string, value: unknown): readonly string[] {
  if (name === "pattern" && typeof value === "string") {
    return [value];
  }
  const isMap = name === "patternProperties" && typeof value === "object" && value !== null;
  return isMap ? Object.keys(value) : [];
}

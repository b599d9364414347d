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
  // Level by level, so that neither a stack nor a pair for each value is needed.
  let level: unknown[] = [root];
  while (level.length > 0) {
    const below: unknown[] = [];
    size.depth += 1;
    for (const value of level) {
      measure(value, below, size);
      if (size.nodes > mostNodes) {
        return size;
      }
    }
    level = below;
  }
  return size;
}

/** Measures one value without its parts, which are put below. */
function measure(value: unknown, below: unknown[], size: JsonSize): void {
  if (typeof value === "string") {
    size.bytes += quotedBytes(value);
  } else if (typeof value !== "object" || value === null) {
    size.bytes += String(value).length;
  } else if (Array.isArray(value)) {
    size.nodes += value.length;
    size.bytes += 2 + value.length;
    for (const part of value) {
      below.push(part);
    }
  } else {
    measureObject(value, below, size);
  }
}

function measureObject(value: object, below: unknown[], size: JsonSize): void {
  const names = Object.keys(value);
  size.nodes += names.length;
  size.bytes += 2 + names.length;
  for (const name of names) {
    const part: unknown = Reflect.get(value, name);
    measureName(name, part, size);
    below.push(part);
  }
}

const quotedBytes = (text: string): number => Buffer.byteLength(text) + 2;

function measureName(name: string, value: unknown, size: JsonSize): void {
  size.bytes += quotedBytes(name) + 1;
  if (name !== "pattern" && name !== "patternProperties") {
    return;
  }
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

import { hasUnseen } from "./visible-text.ts";

/** What one pass over a definition finds. */
export interface DefinitionMeasure {
  /** Values in it, itself among them. */
  nodes: number;
  /** Of its text without blanks, in bytes, save for what JSON writes as escapes. */
  bytes: number;
  /** How deep objects and lists stand in each other. */
  depth: number;
  /** Patterns of a schema: of texts, and of names of properties. */
  patterns: number;
  /** The longest of them, in bytes. */
  longestPattern: number;
  /** Whether a title or a description is longer than it may be, or may hold what nobody sees. */
  isUnclean: boolean;
}

/** Where the pass may stop, since what is larger is not taken. */
export interface MeasureBounds {
  readonly mostNodes: number;
  /** At most some hundreds: it is the depth of a recursion. */
  readonly mostDepth: number;
  /** The longest title or description that is clean, in characters. */
  readonly longestText: number;
}

/**
 * Measures a definition in one pass, since a list may hold a thousand. Whatever has more nodes or is
 * deeper than the bounds is measured only so far, and has one more than they allow, or more.
 */
export function measureDefinition(
  definition: unknown,
  bounds: MeasureBounds,
): Readonly<DefinitionMeasure> {
  const measure: DefinitionMeasure = {
    nodes: 1,
    bytes: 0,
    depth: 1,
    patterns: 0,
    longestPattern: 0,
    isUnclean: false,
  };
  add("", definition, { measure, bounds, depth: 1 });
  return measure;
}

interface Place {
  readonly measure: DefinitionMeasure;
  readonly bounds: MeasureBounds;
  readonly depth: number;
}

/** Adds the value of a property, or of an item of a list, whose key is empty. */
function add(key: string, value: unknown, place: Place): void {
  const { measure } = place;
  if (typeof value === "string") {
    measure.bytes += Buffer.byteLength(value) + 2;
    addText(key, value, place);
  } else if (typeof value !== "object" || value === null) {
    measure.bytes += String(value).length;
  } else {
    addParts(key, value, place);
  }
}

function addText(key: string, text: string, { measure, bounds }: Place): void {
  if (key === "description" || key === "title") {
    measure.isUnclean ||= text.length > bounds.longestText || hasUnseen(text);
  } else if (key === "pattern") {
    addPattern(text, measure);
  }
}

function addParts(key: string, parent: object, { measure, bounds, depth }: Place): void {
  measure.depth = Math.max(measure.depth, depth);
  if (depth > bounds.mostDepth) {
    return;
  }
  const place = { measure, bounds, depth: depth + 1 };
  measure.bytes += 2;
  if (Array.isArray(parent)) {
    measure.nodes += parent.length;
    measure.bytes += parent.length;
    for (const item of parent) {
      if (measure.nodes > bounds.mostNodes) {
        return;
      }
      add("", item, place);
    }
    return;
  }
  // Twice as fast as a list of the names.
  for (const name in parent) {
    if (measure.nodes > bounds.mostNodes) {
      return;
    }
    if (Object.hasOwn(parent, name)) {
      measure.nodes += 1;
      measure.bytes += Buffer.byteLength(name) + 4;
      if (key === "patternProperties") {
        addPattern(name, measure);
      }
      add(name, (parent as Record<string, unknown>)[name], place); // it has it
    }
  }
}

function addPattern(pattern: string, measure: DefinitionMeasure): void {
  measure.patterns += 1;
  measure.longestPattern = Math.max(measure.longestPattern, Buffer.byteLength(pattern));
}

import { hasUnseen } from "../text/visible-text.ts";

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
  /** Whether a title or a description is longer than it may be, or any text may hold what nobody sees. */
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
  const pass = new Pass(bounds);
  pass.add(definition);
  return pass;
}

/** One pass. Lists and objects have methods of their own, because both are then much faster. */
class Pass implements DefinitionMeasure {
  nodes = 1;
  bytes = 0;
  depth = 0;
  patterns = 0;
  longestPattern = 0;
  isUnclean = false;
  readonly #bounds: MeasureBounds;

  constructor(bounds: MeasureBounds) {
    this.#bounds = bounds;
  }

  add(value: unknown): void {
    this.#addItems([value], 0);
  }

  #addObject(
    parent: Readonly<Record<string, unknown>>,
    depth: number,
    isOfPatterns: boolean,
  ): void {
    if (this.#isTooDeep(depth)) {
      return;
    }
    this.bytes += 2;
    // Faster than a list of the names.
    for (const name in parent) {
      if (Object.hasOwn(parent, name)) {
        this.#addName(name, isOfPatterns);
        if (this.nodes > this.#bounds.mostNodes) {
          return;
        }
        const value = parent[name];
        if (typeof value === "string") {
          this.#addText(name, value);
        } else {
          this.#addValue(value, depth, name === "patternProperties");
        }
      }
    }
  }

  #addName(name: string, isPattern: boolean): void {
    this.nodes += 1;
    this.#addCharacters(name);
    this.bytes += 2;
    if (isPattern) {
      this.#addPattern(name);
    }
  }

  #addList(list: readonly unknown[], depth: number): void {
    if (this.#isTooDeep(depth)) {
      return;
    }
    this.nodes += list.length;
    this.bytes += 2 + list.length;
    this.#addItems(list, depth);
  }

  #addItems(items: readonly unknown[], depth: number): void {
    for (const value of items) {
      if (this.nodes > this.#bounds.mostNodes) {
        return;
      }
      if (typeof value === "string") {
        this.#addCharacters(value);
      } else {
        this.#addValue(value, depth, false);
      }
    }
  }

  /** Whatever is no text. */
  #addValue(value: unknown, depth: number, isOfPatterns: boolean): void {
    if (typeof value !== "object" || value === null) {
      this.bytes += String(value).length;
    } else if (Array.isArray(value)) {
      this.#addList(value, depth + 1);
    } else {
      this.#addObject(value as Record<string, unknown>, depth + 1, isOfPatterns); // no list
    }
  }

  #addText(name: string, text: string): void {
    this.#addCharacters(text);
    if (name === "description" || name === "title") {
      this.isUnclean ||= text.length > this.#bounds.longestText;
    } else if (name === "pattern") {
      this.#addPattern(text);
    }
  }

  /** A text in its quotes. What is plain ASCII, as nearly all is, need not be encoded to know its size. */
  #addCharacters(text: string): void {
    const isPlain = !hasUnseen(text);
    this.bytes += (isPlain ? text.length : Buffer.byteLength(text)) + 2;
    this.isUnclean ||= !isPlain;
  }

  #addPattern(pattern: string): void {
    this.patterns += 1;
    this.longestPattern = Math.max(this.longestPattern, Buffer.byteLength(pattern));
  }

  #isTooDeep(depth: number): boolean {
    this.depth = Math.max(this.depth, depth);
    return depth > this.#bounds.mostDepth;
  }
}

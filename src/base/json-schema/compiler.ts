import { isJsonObject } from "../json.ts";
import { endlessReference } from "./cycles.ts";
import type { JsonSchema } from "./schema.ts";
import { fitsShape, type KeywordShape, keywordShapes } from "./shapes.ts";

/** A schema in whose stead nothing can be checked. The message goes on the sentence "The schema …". */
export class SchemaFault extends Error {}

/** A schema, looked through once: where its references lead, and which patterns it has. */
export interface SchemaIndex {
  /** Sources of all patterns, in order, also of names of properties. */
  readonly patternSources: readonly string[];
  /** Whether it asks anywhere what other keywords have not looked at. */
  readonly hasUnevaluated: boolean;
  /** What the `$ref` or the `$dynamicRef` of a schema leads to at first. */
  target(schema: JsonSchema, keyword: ReferenceKeyword): unknown;
  /** The resource (a schema with an `$id`, or the root) that a schema belongs to. */
  resourceOf(schema: JsonSchema): string;
  /** The schema of that dynamic anchor in a resource. */
  dynamicAnchor(resource: string, name: string): JsonSchema | undefined;
}

export type ReferenceKeyword = "$ref" | "$dynamicRef";

/** The address of a root that names none. Nothing is ever fetched from any address. */
const rootAddress = "schema:///root";

/**
 * Looks through a schema and resolves its references, all of which must lead into it.
 *
 * @throws SchemaFault
 */
export function compileSchema(root: JsonSchema): SchemaIndex {
  const survey = new Survey();
  survey.visit(root, rootAddress);
  const targets = survey.resolveReferences();
  const target = (schema: JsonSchema, keyword: ReferenceKeyword): unknown =>
    targets.get(schema)?.[keyword];
  // Without a reference, a schema is a tree, and most are: there is nothing to go round in.
  const loop =
    targets.size === 0
      ? undefined
      : endlessReference([...survey.resources.keys()], (schema) =>
          (["$ref", "$dynamicRef"] as const).map((keyword) => target(schema, keyword)),
        );
  if (loop !== undefined) {
    throw new SchemaFault(`refers to itself without end (${JSON.stringify(loop).slice(0, 100)})`);
  }
  return {
    patternSources: survey.patternSources,
    hasUnevaluated: survey.hasUnevaluated,
    target,
    resourceOf: (schema) => survey.resources.get(schema) ?? rootAddress,
    dynamicAnchor: (resource, name) => survey.dynamicAnchors.get(`${resource}#${name}`),
  };
}

type Targets = { [Keyword in ReferenceKeyword]?: unknown };

/** What is found in a schema. Nothing here is recursive: a stranger's schema may be deep. */
class Survey {
  readonly patternSources: string[] = [];
  hasUnevaluated = false;
  /** Every schema that was seen, with the address of its resource. */
  readonly resources = new Map<JsonSchema, string>();
  readonly dynamicAnchors = new Map<string, JsonSchema>();
  readonly #byAddress = new Map<string, JsonSchema>();
  readonly #anchors = new Map<string, JsonSchema>();

  /** Looks through a schema and all that is in it. */
  visit(root: unknown, address: string): void {
    // Schemas, and beside them the addresses of the resources that they stand in.
    const waiting: unknown[] = [root];
    const addresses: string[] = [address];
    while (waiting.length > 0) {
      const schema = waiting.pop();
      const outer = addresses.pop() ?? address;
      if (isJsonObject(schema) && !this.resources.has(schema)) {
        const own = this.#register(schema, outer);
        this.#addSubschemas(schema, waiting);
        while (addresses.length < waiting.length) {
          addresses.push(own);
        }
      }
    }
  }

  /** Where all references lead, by the schemas that hold them. What is found behind them only is looked through as well. */
  resolveReferences(): ReadonlyMap<JsonSchema, Targets> {
    const targets = new Map<JsonSchema, Targets>();
    // A map may grow while it is gone through: what `visit` adds is reached, too.
    for (const [schema, address] of this.resources) {
      const found: Targets = {};
      for (const keyword of ["$ref", "$dynamicRef"] as const) {
        const reference = schema[keyword];
        if (typeof reference === "string") {
          found[keyword] = this.#resolve(reference, address);
        }
      }
      if (found.$ref !== undefined || found.$dynamicRef !== undefined) {
        targets.set(schema, found);
      }
    }
    return targets;
  }

  #register(schema: JsonSchema, outer: string): string {
    const { $id, $anchor, $dynamicAnchor } = schema;
    const own = typeof $id === "string" && !$id.startsWith("#") ? absolute($id, outer) : outer;
    const address = own === outer ? outer : (own.split("#")[0] ?? own);
    this.resources.set(schema, address);
    if (!this.#byAddress.has(address)) {
      this.#byAddress.set(address, schema);
    }
    // In drafts 6 and 7 an anchor is an $id that is only a fragment.
    const oldAnchor = typeof $id === "string" && $id.startsWith("#") ? $id.slice(1) : undefined;
    for (const anchor of [$anchor, $dynamicAnchor, oldAnchor]) {
      if (typeof anchor === "string") {
        this.#anchors.set(`${address}#${anchor}`, schema);
      }
    }
    if (typeof $dynamicAnchor === "string") {
      this.dynamicAnchors.set(`${address}#${$dynamicAnchor}`, schema);
    }
    return address;
  }

  /** Checks the keywords of a schema, and adds the schemas in it to `found`. */
  #addSubschemas(schema: JsonSchema, found: unknown[]): void {
    for (const keyword of Object.keys(schema)) {
      const shape = keywordShapes.get(keyword);
      const operand = schema[keyword];
      if (shape === undefined || operand === undefined) {
        continue;
      }
      if (!fitsShape(shape, operand)) {
        throw new SchemaFault(
          `has a keyword ${JSON.stringify(keyword)} of a form that means nothing`,
        );
      }
      this.#note(keyword, operand);
      addSubschemas(shape, operand, found);
    }
  }

  #note(keyword: string, operand: unknown): void {
    if (keyword === "pattern") {
      this.patternSources.push(operand as string); // fitsShape
    } else if (keyword === "patternProperties") {
      this.patternSources.push(...Object.keys(operand as object)); // fitsShape
    }
    this.hasUnevaluated ||= keyword.startsWith("unevaluated");
  }

  #resolve(reference: string, address: string): unknown {
    const [resource = "", fragment = ""] = absolute(reference, address).split("#");
    const found = this.#byAddress.get(resource);
    if (found === undefined) {
      throw new SchemaFault(
        `refers to ${shown(reference)}, which is not part of it; nothing is fetched`,
      );
    }
    const target =
      fragment === "" || fragment.startsWith("/")
        ? partAt(found, fragment)
        : this.#anchors.get(`${resource}#${fragment}`);
    if (typeof target !== "boolean" && !isJsonObject(target)) {
      throw new SchemaFault(`refers to ${shown(reference)}, where there is no schema`);
    }
    this.visit(target, resource);
    return target;
  }
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 200));

function absolute(reference: string, address: string): string {
  const url = URL.parse(reference, address);
  if (url === null) {
    throw new SchemaFault(`holds ${shown(reference)}, which is no reference`);
  }
  return url.href;
}

/** What a JSON pointer, as the fragment of a URI, leads to. */
function partAt(root: unknown, fragment: string): unknown {
  let found = root;
  for (const key of fragment.split("/").slice(1)) {
    const name = decoded(key).replaceAll("~1", "/").replaceAll("~0", "~");
    const isThere = typeof found === "object" && found !== null && Object.hasOwn(found, name);
    found = isThere ? (found as Record<string, unknown>)[name] : undefined; // it is there
  }
  return found;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function addSubschemas(shape: KeywordShape, operand: unknown, found: unknown[]): void {
  switch (shape) {
    case "schema":
      found.push(operand);
      return;
    case "schema-or-list":
    case "schema-list":
    case "schema-map":
    case "dependencies": {
      const holdsMany = shape !== "schema-or-list" || Array.isArray(operand);
      const inner: readonly unknown[] = holdsMany ? Object.values(operand as object) : [operand]; // fitsShape
      for (const schema of inner) {
        found.push(schema);
      }
      return;
    }
    default:
  }
}

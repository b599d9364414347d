import type { Json, JsonObject } from "../../src/base/json.ts";
import type { Model } from "../../src/model/model.ts";
import type { ProviderOptions } from "../../src/models/provider/provider-options.ts";
import type { ModelServer, ModelServerOptions } from "../../src/testing/model-server.ts";

/** A provider whose model goes through the table of cases. */
export interface Provider {
  readonly name: string;
  /** Whether others' code stands between, which decides on what happens on the wire. */
  readonly isBridge?: boolean;
  readonly start: (options: ModelServerOptions) => Promise<ModelServer>;
  readonly make: (baseUrl: string, options?: Partial<ProviderOptions>) => Model;
  /** The first chunks of a stream that says "Hello". */
  readonly hello: readonly Json[];
  /** What such a stream goes on with: the text "!" and the end. */
  readonly rest: readonly Json[];
  /** A failure that may pass, in the place of a further chunk; it says "boom". */
  readonly failure: Json;
  /** An error body with this message. */
  readonly errorBody: (message: string) => JsonObject;
  /** Finish reasons in the provider's words. */
  readonly words: { readonly length: string; readonly filtered?: string };
  /** A usage of 10 tokens in, 4 of them cached, and 7 out, 2 of them reasoning; and what is told of it. */
  readonly usage: readonly [given: JsonObject, told: JsonObject];
  /** What a request holds. */
  readonly read: {
    readonly system: (body: JsonObject) => string;
    /** The names of the tools. */
    readonly tools: (body: JsonObject) => readonly string[];
    /** The texts of the results of the last step. */
    readonly results: (body: JsonObject) => readonly string[];
    /** The pictures of all messages, in base64. */
    readonly pictures: (body: JsonObject) => readonly string[];
    /** What is given back with thoughts and calls. */
    readonly opaque: (body: JsonObject) => readonly Json[];
    /** The schema that the answer is held to. */
    readonly schema: (body: JsonObject) => Json | undefined;
  };
  /**
   * What {@link Provider.read} finds given back after thoughts signed `sig-r`, a call signed `sig-c` and
   * one without a signature.
   */
  readonly givenBack: readonly Json[];
}

/** The objects in a list, whatever it is. */
export const objectsIn = (list: Json | undefined): readonly JsonObject[] =>
  (Array.isArray(list) ? list : []).filter(
    (item): item is JsonObject => typeof item === "object" && item !== null,
  );

/** The fields of one name of all these objects, where they are there. */
export const fieldOf = (objects: readonly JsonObject[], field: string): readonly Json[] =>
  objects.flatMap((object) => (object[field] === undefined ? [] : [object[field]]));

/** The object at a path of fields; empty where there is none. */
export const at = (object: JsonObject, ...path: readonly string[]): JsonObject => {
  const [field, ...rest] = path;
  if (field === undefined) {
    return object;
  }
  const [inner = {}] = objectsIn([object[field] ?? null]);
  return at(inner, ...rest);
};

/** How OpenAI's form of messages and tools is read; Ollama's is the same there. */
export const messageReaders: Pick<Provider["read"], "system" | "tools" | "results"> = {
  system: ({ messages }) => fieldOf(ofRole(messages, "system"), "content").join("\n\n"),
  tools: ({ tools }) => objectsIn(tools).map((tool) => `${at(tool, "function")["name"]}`),
  results: ({ messages }) => fieldOf(ofRole(messages, "tool"), "content").map(String),
};

const ofRole = (messages: Json | undefined, wanted: string): readonly JsonObject[] =>
  objectsIn(messages).filter(({ role }) => role === wanted);

import { isJsonObject } from "../base/json.ts";
import type { JsonSchema } from "../base/json-schema.ts";
import { wordsOf } from "../base/words.ts";
import type { ScoredDocument } from "./scorer.ts";

/** The documents that have a word. */
export interface Posting {
  /** Their places, and what the word weighs in each, from 0 to 1. */
  readonly documents: number[];
  readonly weights: number[];
  /** Those that have it in their name, and which share of the name it is. */
  readonly named: number[];
  readonly shares: number[];
}

/** Which documents have which words, and how weightily, after BM25F. */
export function collectPostings(
  documents: readonly ScoredDocument[],
): ReadonlyMap<string, Posting> {
  const fields = documents.map(fieldsOf);
  const usual = fieldNames.map((name) => averageLength(fields, name));
  const postings = new Map<string, Posting>();
  for (const [index, document] of fields.entries()) {
    for (const [word, weight] of weigh(document, usual)) {
      const posting = postings.get(word) ?? { documents: [], weights: [], named: [], shares: [] };
      postings.set(word, posting);
      posting.documents.push(index);
      posting.weights.push(weight / (weight + saturation));
    }
    const name = new Set(document.name);
    for (const word of name) {
      const posting = postings.get(word);
      posting?.named.push(index);
      posting?.shares.push(1 / name.size);
    }
  }
  return postings;
}

/** How much a word counts in each field. */
const fieldWeights = {
  name: 4,
  description: 1,
  parameters: 0.25,
  serverName: 2,
  serverDescription: 0.5,
} as const;

type FieldName = keyof typeof fieldWeights;
type Fields = Readonly<Record<FieldName, readonly string[]>>;
const fieldNames = Object.keys(fieldWeights) as FieldName[]; // the object is written out above

/** The more there is of a word, the less another one adds. */
const saturation = 2;

/** How much longer fields weigh less: 0 not at all, 1 in proportion. */
const lengthShare = 0.6;

function weigh(fields: Fields, usual: readonly number[]): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const [index, name] of fieldNames.entries()) {
    const words = fields[name];
    const length = words.length / (usual[index] || 1);
    const one = fieldWeights[name] / (1 - lengthShare + lengthShare * length);
    for (const word of words) {
      weights.set(word, (weights.get(word) ?? 0) + one);
    }
  }
  return weights;
}

const averageLength = (all: readonly Fields[], name: FieldName): number =>
  all.reduce((sum, fields) => sum + fields[name].length, 0) / (all.length || 1);

/** The words of documents that are still in use. */
const kept = new WeakMap<ScoredDocument, Fields>();

function fieldsOf(document: ScoredDocument): Fields {
  const known = kept.get(document);
  if (known !== undefined) {
    return known;
  }
  const { name, description, parameters, server } = document;
  const fields: Fields = {
    name: wordsIn(name),
    description: wordsIn(description),
    parameters: parameters === undefined ? [] : wordsIn(parameterTexts(parameters).join("\n")),
    serverName: wordsIn(server?.name),
    serverDescription: wordsIn(server?.description),
  };
  kept.set(document, fields);
  return fields;
}

/** A server may say what it likes, and as much: what is looked at has a bound. */
const longestText = 4_000;

const wordsIn = (text: string | undefined): readonly string[] =>
  text === undefined ? [] : wordsOf(text.slice(0, longestText));

const deepestParameter = 4;
const mostTexts = 200;

/** Names of parameters, what is said of them, and the words that they may be. */
function parameterTexts(schema: JsonSchema): readonly string[] {
  const texts: string[] = [];
  const visit = (value: unknown, depth: number): void => {
    if (!isJsonObject(value) || depth > deepestParameter || texts.length >= mostTexts) {
      return;
    }
    const { description, enum: choices, items, properties } = value;
    if (typeof description === "string" && depth > 0) {
      texts.push(description);
    }
    if (Array.isArray(choices)) {
      texts.push(...choices.filter((choice) => typeof choice === "string").slice(0, mostTexts));
    }
    visit(items, depth + 1);
    for (const [name, inner] of isJsonObject(properties) ? Object.entries(properties) : []) {
      texts.push(name);
      visit(inner, depth + 1);
    }
  };
  visit(schema, 0);
  return texts.slice(0, mostTexts);
}

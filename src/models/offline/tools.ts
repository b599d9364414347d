import { synonymsOf } from "../../base/synonyms.ts";
import { wordsOf } from "../../base/words.ts";
import type { ToolDefinition } from "../../model/model.ts";
import { changesOf, isVerbStem } from "./grammar.ts";
import { parametersOf } from "./parameters.ts";

/** The words of a tool's name and of the first sentence about it. */
export function toolWordsOf(tool: ToolDefinition): ReadonlySet<string> {
  return profileOf(tool).words;
}

/** What a tool changes, told by its name, and where the name has no verb by its first sentence. */
export function toolChangesOf(tool: ToolDefinition): ReadonlySet<string> {
  return profileOf(tool).changes;
}

/** The words of a tool's name. */
export function nameWordsOf(tool: ToolDefinition): readonly string[] {
  return profileOf(tool).name;
}

/** The first sentence of a tool's description. */
export function firstSentenceOf({ description }: ToolDefinition): string {
  return /^[\s\S]*?[.!?](?=\s|$)/.exec(description)?.[0] ?? description;
}

interface Profile {
  readonly name: readonly string[];
  readonly words: ReadonlySet<string>;
  readonly changes: ReadonlySet<string>;
}

const profiles = new WeakMap<ToolDefinition, Profile>();

function profileOf(tool: ToolDefinition): Profile {
  const known = profiles.get(tool);
  if (known !== undefined) {
    return known;
  }
  const name = wordsOf(tool.name);
  const sentence = wordsOf(firstSentenceOf(tool));
  const verb = name.find(isVerbStem);
  const named = verb === undefined ? [] : changesOf(verb);
  const told = sentence.slice(0, 6).flatMap(changesOf);
  const profile: Profile = {
    name,
    words: new Set([...name, ...sentence]),
    changes: new Set(
      named.length > 0
        ? [...named, ...told]
        : verb !== undefined || looksFirst(sentence)
          ? []
          : told,
    ),
  };
  profiles.set(tool, profile);
  return profile;
}

/** Whether a description starts with a verb that only looks: `Returns …`. */
const looksFirst = ([first = ""]: readonly string[]): boolean => changesOf(first).length === 0;

/** A longer description is a manual: its words say little about what the tool is for. */
export const mostDescription = 600;

/** 1 for a word by which a tool is called or described, 0.5 for one that only its long description has. */
export function knowing(tool: ToolDefinition, word: string): number {
  const alternatives = [word, ...synonymsOf(word)];
  const { near, far } = ownWordsOf(tool);
  return alternatives.some((one) => near.has(one))
    ? 1
    : alternatives.some((one) => far.has(one))
      ? 0.5
      : 0;
}

interface OwnWords {
  readonly near: ReadonlySet<string>;
  readonly far: ReadonlySet<string>;
}

const ownWords = new WeakMap<ToolDefinition, OwnWords>();

function ownWordsOf(tool: ToolDefinition): OwnWords {
  const known = ownWords.get(tool);
  if (known !== undefined) {
    return known;
  }
  const parameters = parametersOf(tool);
  const words: OwnWords = {
    near: new Set([
      ...toolWordsOf(tool),
      ...parameters.flatMap(({ path }) => wordsOf(path.join(" "))),
      ...parameters.flatMap(({ about }) => [...about]),
      ...parameters.flatMap(({ role, labels }) =>
        role === "text" || role === "kind" ? [...labels.keys()] : [],
      ),
      ...parameters.flatMap(({ choices }) => wordsOf(choices.join(" "))),
    ]),
    far: new Set(wordsOf(tool.description.slice(0, mostDescription))),
  };
  ownWords.set(tool, words);
  return words;
}

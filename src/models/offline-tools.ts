import { wordsOf } from "../base/words.ts";
import type { ToolDefinition } from "../model/model.ts";
import { changesOf, isVerbStem } from "./offline-grammar.ts";

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

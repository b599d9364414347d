import { synonymsOf } from "../../base/synonyms.ts";
import { type ScoredField, WordScorer } from "../../base/word-scorer.ts";
import { wordsOf } from "../../base/words.ts";
import type { ToolDefinition } from "../../model/model.ts";
import { fill } from "./arguments.ts";
import type { Filled, Filling } from "./filling.ts";
import { isPlace } from "./folders.ts";
import {
  changesOf,
  isImperative,
  isStopWord,
  isVerb,
  prepositions,
  questionWords,
} from "./grammar.ts";
import { contentWordsOf, intentsOf } from "./intents.ts";
import { type Parameter, parametersOf } from "./parameters.ts";
import { isFileName, type Token } from "./tokens.ts";
import {
  firstSentenceOf,
  knowing,
  mostDescription,
  nameWordsOf,
  toolChangesOf,
  toolWordsOf,
} from "./tools.ts";

/** A tool for a clause, with what the clause gives it. */
export interface Choice {
  readonly tool: ToolDefinition;
  readonly filling: Filling;
  readonly score: number;
}

/** The tools that a clause may mean, the likeliest first; empty where none matches. */
export function chooseTools(
  tools: readonly ToolDefinition[],
  clause: readonly Token[],
  message: string,
): readonly Choice[] {
  const words = [...contentWordsOf(clause), ...intentsOf(clause)];
  const scores = scorerOf(tools).scores(words);
  const best = Math.max(...scores, 0.0001);
  const ranked = tools
    .map((tool, index) => ({ tool, share: (scores[index] ?? 0) / best + mention(tool, clause) }))
    .filter(({ tool, share }) => share > 0 || hasChoice(tool))
    .toSorted((left, right) => right.share - left.share);
  const shortlist = ranked.filter(({ tool }, index) => index < shortest || hasChoice(tool));
  return shortlist
    .slice(0, longest)
    .map(({ tool, share }) => weigh(tool, share, clause, message))
    .map((choice) => ({ ...choice, score: choice.score * ownership(choice, tools) }))
    .map(byObject(clause))
    .filter(({ score }) => score > leastScore)
    .toSorted((left, right) => right.score - left.score);
}

/**
 * Among tools that make the change that is asked for, those named for its object come first: `add an
 * entity …` is for a tool with `entity` in its name, if there is one.
 */
function byObject(
  clause: readonly Token[],
): (choice: Choice, index: number, all: readonly Choice[]) => Choice {
  const asked = changesAsked(clause);
  const start = clause.findIndex(isImperative) + 1;
  const length = clause
    .slice(start)
    .findIndex(
      ({ kind, lower, value }) =>
        kind !== "word" || prepositions.has(lower) || /^\p{Lu}/u.test(value),
    );
  const object = clause.slice(start, length === -1 ? undefined : start + length);
  const words = contentWordsOf(object).map(({ word }) => word);
  const isNamed = ({ tool }: Choice): boolean =>
    nameWordsOf(tool).some((name) => words.includes(name));
  const changes = ({ tool }: Choice): boolean =>
    [...toolChangesOf(tool)].some((kind) => asked.has(kind));
  return (choice, _index, all) =>
    changes(choice) && !isNamed(choice) && all.some((other) => changes(other) && isNamed(other))
      ? { ...choice, score: choice.score * 0.6 }
      : choice;
}

/** Below 1 where a plain word became the name of something although another tool is called by it. */
function ownership({ tool, filling }: Choice, tools: readonly ToolDefinition[]): number {
  const words = [...filling.values]
    .filter(([{ path }]) => path.length === 1)
    .filter(([, { kind, announced }]) => (kind === "bare" || kind === "rest") && announced < 0.5)
    .map(([, { value }]) => (typeof value === "string" ? wordsOf(value) : []))
    .filter(({ length }) => length === 1)
    .flatMap(([word = ""]) => (changesOf(word).length > 0 ? [word] : [word, ...synonymsOf(word)]));
  const others = tools.filter((other) => other !== tool);
  return others.some((other) => nameWordsOf(other).some((word) => words.includes(word))) ? 0.25 : 1;
}

/** A lower score is no match. */
const leastScore = 0.12;

/** So many tools have their arguments tried, and so many with the tools whose `enum` may decide. */
const shortest = 14;
const longest = 40;

const hasChoice = (tool: ToolDefinition): boolean =>
  parametersOf(tool).some(({ choices, required }) => required && choices.length > 0);

/** Whether the message calls the tool by its name. */
const mention = (tool: ToolDefinition, clause: readonly Token[]): number =>
  clause.some(({ lower }) => lower === tool.name.toLowerCase() && nameWordsOf(tool).length > 1)
    ? 3
    : 0;

const scorers = new WeakMap<readonly ToolDefinition[], WordScorer>();

function scorerOf(tools: readonly ToolDefinition[]): WordScorer {
  const scorer = scorers.get(tools) ?? new WordScorer(tools.map(fieldsOf));
  scorers.set(tools, scorer);
  return scorer;
}

function fieldsOf(tool: ToolDefinition): readonly ScoredField[] {
  const parameters = parametersOf(tool);
  const first = firstSentenceOf(tool);
  return [
    { text: tool.name, weight: 3 },
    { text: first, weight: 1.2 },
    { text: tool.description.slice(first.length, first.length + mostDescription), weight: 0.5 },
    { text: parameters.map(({ path }) => path.join(" ")).join(" "), weight: 0.8 },
    { text: parameters.map(({ about }) => [...about].join(" ")).join(" "), weight: 0.4 },
    { text: parameters.map(({ choices }) => choices.join(" ")).join(" "), weight: 0.6 },
  ];
}

function weigh(
  tool: ToolDefinition,
  share: number,
  clause: readonly Token[],
  message: string,
): Choice {
  const filling = fill(tool, clause, message);
  const chosen = [...filling.values].some(
    ([{ required, choices }, { kind }]) => required && choices.length > 0 && kind === "choice",
  );
  const score =
    (share + (chosen ? 0.5 : 0)) *
    fitOf(tool, filling, clause) *
    changeFit(tool, clause) *
    thingFit(tool, clause) *
    nameFit(tool, clause) *
    (/\bdeprecated\b/i.test(tool.description) ? 0.7 : 1);
  return { tool, filling, score: score * evidenceFor(tool, filling, clause, chosen) };
}

/** How much of what the clause names the tool takes, and how much of what the tool needs it names. */
function fitOf(tool: ToolDefinition, filling: Filling, clause: readonly Token[]): number {
  const { missing, used, values } = filling;
  const needed = missing.filter((parameter) => !isPlace(tool, parameter)).length;
  const lacking = [
    needed > 0 ? 0.5 * 0.8 ** (needed - 1) : 1,
    missing.length > needed ? 0.9 : 1,
    missing.some(({ many, path }) => many && !path.includes("[]")) ? 0.9 : 1,
  ];
  const idle = clause.map((token, index) =>
    used.has(index) ? 1 : (idleWeights[token.kind] ?? (isName(token, index) ? 0.75 : 1)),
  );
  const taken = clause.filter((token, index) => used.has(index) && token.kind in idleWeights);
  const odd = [...values].map(([parameter, filled]) => oddity(tool, parameter, filled));
  const product = [...lacking, ...idle, ...odd].reduce((all, weight) => all * weight, 1);
  return product * 1.1 ** Math.min(taken.length, 3);
}

/** Below 1 where a value is not quite what its parameter is for. */
function oddity(tool: ToolDefinition, parameter: Parameter, { value, kind }: Filled): number {
  const { role, many, required } = parameter;
  const isFile = kind === "path" || (kind === "quoted" && isFileName(`${value}`));
  if (isFile && (role === "name" || role === "kind")) {
    return toolChangesOf(tool).size > 0 && required ? 0 : 0.6;
  }
  return many && Array.isArray(value)
    ? listOddity(tool, parameter, value.length)
    : kind === "name" && role === "path"
      ? 0.8
      : 1;
}

/** A list is for several things, and a tool that is named for what the list holds is not for none. */
function listOddity(tool: ToolDefinition, { path, labels }: Parameter, length: number): number {
  if (length === 0) {
    return nameWordsOf(tool).some((word) => (labels.get(word) ?? 0) >= 0.6) ? 0.35 : 0.95;
  }
  return length > 1 || path.includes("[]") ? 1 : 0.85;
}

/** What it costs a tool to leave a value of the message unused. */
const idleWeights: Readonly<Partial<Record<Token["kind"], number>>> = {
  quoted: 0.55,
  path: 0.55,
  url: 0.55,
  email: 0.6,
  json: 0.5,
  number: 0.75,
  date: 0.8,
};

const isName = (token: Token, index: number): boolean =>
  token.kind === "word" && index > 0 && /^\p{Lu}/u.test(token.value) && !isStopWord(token);

/** A tool that changes something is for messages that ask for that change, and for no others. */
function changeFit(tool: ToolDefinition, clause: readonly Token[]): number {
  const asked = changesAsked(clause);
  const made = toolChangesOf(tool);
  const named = clause.some(({ stems }) =>
    stems.some((stem) => nameWordsOf(tool)[0] === stem && changesOf(stem).length > 0),
  );
  if (made.has("delete") && !asked.has("delete")) {
    return 0;
  }
  if (asked.size === 0) {
    return unaskedFit(made);
  }
  const agreed = [...asked].some((kind) => made.has(kind));
  return agreed ? (named ? 1.3 : 1.02) : made.size === 0 ? 0.6 : 0.4;
}

/** How far a tool may make changes that the message has no verb for. */
function unaskedFit(made: ReadonlySet<string>): number {
  if (made.size === 0) {
    return 1;
  }
  return [...made].some((kind) => grave.has(kind)) ? 0 : made.has("run") ? 0.7 : 0.25;
}

/** Changes that are never made unless the message has a verb for them. */
const grave: ReadonlySet<string> = new Set(["write", "move", "edit", "send", "copy"]);

/** The changes that a clause asks for; a question asks for none. */
function changesAsked(clause: readonly Token[]): ReadonlySet<string> {
  const [opening] = clause;
  const polite = /^(?:can|could|would|will|please|do|does)$/.test(opening?.lower ?? "");
  if (opening !== undefined && questionWords.has(opening.lower) && !polite) {
    return new Set();
  }
  const verb = clause.find(isVerb);
  return new Set(verb?.stems.flatMap(changesOf) ?? []);
}

const files: ReadonlySet<string> = new Set(wordsOf("file document"));
const folders: ReadonlySet<string> = new Set(wordsOf("folder directory dir"));

/** A tool for folders is not for a file, and the other way round. */
function thingFit(tool: ToolDefinition, clause: readonly Token[]): number {
  const says = (words: ReadonlySet<string>): boolean =>
    clause.some(({ stems }) => stems.some((stem) => words.has(stem)));
  const paths = clause.filter(({ kind }) => kind === "path").map(({ value }) => value);
  const fileNamed = paths.some(isFileName);
  const file = says(files) || fileNamed;
  const folder = says(folders) || paths.some((path) => /[\\/]$/.test(path));
  const name = nameWordsOf(tool);
  const forFiles = name.some((word) => files.has(word));
  const forFolders = name.some((word) => folders.has(word)) && !forFiles;
  const tellsOfFiles = [...toolWordsOf(tool)].some((word) => files.has(word));
  const wrong =
    (file && !folder && forFolders && (fileNamed || !tellsOfFiles)) ||
    (folder && !file && forFiles && !name.some((word) => folders.has(word)));
  return wrong ? (fileNamed ? 0.35 : 0.6) : 1;
}

/** A name with words that the message does not have is for something more special. */
function nameFit(tool: ToolDefinition, clause: readonly Token[]): number {
  const said = new Set(
    [...contentWordsOf(clause), ...intentsOf(clause)].flatMap(({ word }) => [
      word,
      ...synonymsOf(word),
    ]),
  );
  const name = nameWordsOf(tool);
  return 0.7 + (0.3 * name.filter((word) => said.has(word)).length) / Math.max(1, name.length);
}

/**
 * How far the clause's own words, those that are no values, are words of the tool: from 0.6 to 1, and 0
 * where it is too little. One value that fits is no reason to call a tool.
 */
function evidenceFor(
  tool: ToolDefinition,
  { used, values, missing }: Filling,
  clause: readonly Token[],
  chosen: boolean,
): number {
  const free = clause.filter((token, index) => !used.has(index) && !isVague(token));
  const words = contentWordsOf(free);
  const implied = intentsOf(clause).some(({ word }) => knowing(tool, word) === 1);
  if (words.length === 0) {
    const guessed = [...values.values()].some(({ kind }) => kind === "rest");
    const possible = values.size > 0 || (missing.every((one) => isPlace(tool, one)) && implied);
    return chosen || (!guessed && possible) ? 1 : 0;
  }
  const parts = words.map(({ word }) => knowing(tool, word));
  const share = parts.reduce((sum, part) => sum + part, 0) / words.length;
  const nouns = contentWordsOf(free.filter((token) => !isVerb(token)));
  const strange = nouns.length > 0 && nouns.every(({ word }) => knowing(tool, word) === 0);
  const unsure = (strange && values.size === 0) || (!parts.includes(1) && !implied);
  return share < leastKnown || unsure ? 0 : 0.6 + 0.4 * share;
}

const leastKnown = 0.34;

/** Verbs that ask for anything. */
const isVague = ({ lower }: Token): boolean =>
  /^(?:show|get|give|display|print|fetch|return|tell|make|find|say|says|said|contains?|written|created|modified|changed|edited|updated|accessed|know|big|large|old|much|many)$/.test(
    lower,
  );

import {
  type LinearPattern,
  linearPatterns,
  loadPatternEngine,
  type PatternEngine,
} from "../base/linear-pattern.ts";
import { ToolError } from "../base/tool-error.ts";

/** Says of a text whether it is looked for. */
export type TextTest = (text: string) => boolean;

/** The same, or undefined where that would take too long. */
export type LineTest = (line: string) => boolean | undefined;

/** The largest automaton, in states. */
const mostStates = 500;

/** What a test of one line may cost, in steps: some hundredths of a second. */
const mostSteps = 250_000;

/**
 * A text to look for: literally, or as a regular expression of ECMAScript. It takes time in proportion to
 * what is searched, whatever the expression: none backtracks. A line for which even that is much is not tried.
 *
 * @throws ToolError for an expression that is none, that looks around or refers back, or is too large.
 */
export async function textTest(
  text: string,
  { isRegex, ignoreCase }: { readonly isRegex: boolean; readonly ignoreCase: boolean },
): Promise<LineTest> {
  if (!isRegex) {
    const wanted = ignoreCase ? text.toLowerCase() : text;
    return (line) => (ignoreCase ? line.toLowerCase() : line).includes(wanted);
  }
  const pattern = await linearPattern(text, "The regular expression");
  const engine = await loadPatternEngine();
  const wanted = ignoreCase ? pattern.ignoringCase() : pattern;
  const test = tester(wanted, engine);
  return (line) => (wanted.stepsFor(line) > mostSteps ? undefined : test(line));
}

/**
 * A pattern for paths: `*` for anything within a name, `**` for any folders, `?` for one character, `{a,b}`
 * for one of several. One without `/` is for the name alone.
 *
 * @throws ToolError for one that is too large.
 */
export async function pathTest(glob: string): Promise<TextTest> {
  const pattern = await linearPattern(`^${fromGlob(glob)}$`, "The pattern for paths");
  const test = tester(pattern, await loadPatternEngine());
  return glob.includes("/") ? test : (path) => test(path.slice(path.lastIndexOf("/") + 1));
}

function tester(pattern: LinearPattern, engine: PatternEngine): TextTest {
  return (text) => {
    const found = pattern.test(text, engine);
    if (found === undefined) {
      throw refused("The regular expression");
    }
    return found;
  };
}

async function linearPattern(source: string, what: string): Promise<LinearPattern> {
  await loadPatternEngine();
  const pattern = linearPatterns([source]).get(source);
  if (pattern === undefined || pattern.size > mostStates) {
    throw refused(what);
  }
  return pattern;
}

const refused = (what: string): ToolError =>
  new ToolError(
    `${what} cannot be used: it is none, it is too large, or it looks around or refers back. Write a simpler one.`,
    { code: "invalid-arguments" },
  );

function fromGlob(glob: string): string {
  return glob.replace(/\*\*\/|\*\*|[*?{},\\^$.|+()[\]]/g, (sign, at: number) => {
    const depth = open(glob, at);
    switch (sign) {
      case "**/":
        return "(?:.*/)?";
      case "**":
        return ".*";
      case "*":
        return "[^/]*";
      case "?":
        return "[^/]";
      case "{":
        return "(?:";
      case "}":
        return depth > 0 ? ")" : "\\}";
      case ",":
        return depth > 0 ? "|" : ",";
      default:
        return `\\${sign}`;
    }
  });
}

/** How many braces are open before a place. */
const open = (glob: string, at: number): number =>
  [...glob.slice(0, at)].reduce(
    (depth, sign) => depth + Number(sign === "{") - Number(sign === "}"),
    0,
  );

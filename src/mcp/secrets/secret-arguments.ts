/**
 * The values among a program's arguments that are secrets by how they are given: after a flag of a
 * telling name (`--token T`, `--api-key=T`), as `KEY=T` or a header (`X-Api-Key: T`), as the password
 * or a telling query parameter of a URL, or in the form of a token (`sk-…`). Arguments that hold
 * blanks are also looked at word by word, since shells are given commands so.
 */
export function secretsIn(args: readonly string[]): readonly string[] {
  const words = args.filter((argument) => /\s/.test(argument)).map((text) => text.split(/\s+/));
  return [args, ...words].flatMap(secretsAmong);
}

const secretsAmong = (parts: readonly string[]): readonly string[] =>
  parts.flatMap((part, index) => {
    const next = parts[index + 1];
    const afterFlag =
      next !== undefined && /^--?\w[\w.-]*$/.test(part) && isTelling(part) && !next.startsWith("--")
        ? [unquoted(next)]
        : [];
    return [...afterFlag, ...secretsOf(unquoted(part))];
  });

function secretsOf(part: string): readonly string[] {
  if (URL.canParse(part) && part.includes("://")) {
    return secretsOfUrl(part);
  }
  const [, name, given] = /^([\w.-]+)(?:=|:\s*)(.+)$/s.exec(part) ?? [];
  if (name !== undefined && given !== undefined && isTelling(name)) {
    const value = unquoted(given);
    return [value, value.replace(/^\w+ +/, "")]; // also without the scheme of a header
  }
  return given === undefined ? tokensOf(part) : secretsOf(unquoted(given));
}

/** What of a URL is a secret: its password, and the values of telling query parameters. */
export function secretsOfUrl(text: string): readonly string[] {
  const { password, searchParams } = new URL(text);
  const telling = [...searchParams].filter(([name]) => isTelling(name)).map(([, value]) => value);
  return [password, decoded(password), ...telling, ...telling.map(encodeURIComponent)].filter(
    (secret) => secret !== "",
  );
}

/** Forms that hardly anything but a token has. */
const tokensOf = (part: string): readonly string[] =>
  /^(?:sk|pk|rk|gh[a-z]|github_pat|glpat|xox[a-z]|npm|hf|AKIA|AIza|eyJ)[-_\w.]{16,}$/.test(part) ||
  (/^\w{24,}$/.test(part) && [/[a-z]/, /[A-Z]/, /\d/].every((kind) => kind.test(part)))
    ? [part]
    : [];

/** Whether a name ends in a word for a secret: `apiKey`, `--github-token`, but not `--token-file`. */
export function isTelling(name: string): boolean {
  return /(?:token|secret|password|passwd|passphrase|(?:api|access|private)key|(?:^|-)(?:key|pat|pwd|pass|auth|authorization|bearer|credentials?|cookie))$/.test(
    name
      .replace(/^-+/, "")
      .replace(/([a-z])([A-Z])/g, "$1-$2")
      .replace(/[_.]/g, "-")
      .toLowerCase(),
  );
}

const unquoted = (text: string): string => text.replace(/^(["'])(.*)\1$/s, "$2");

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A challenge of a server that wants to be shown a token (RFC 9110, 11.6.1; RFC 6750, 3; RFC 9728, 5.1). */
export interface TokenChallenge {
  /** `bearer` or `dpop`. */
  readonly scheme: string;
  /** Where the server says who gives tokens for it. */
  readonly resourceMetadata?: string;
  readonly scope?: string;
  /** Such as `invalid_token` or `insufficient_scope`. */
  readonly error?: string;
}

/** The challenge for a token in a `WWW-Authenticate` header; other schemes are passed over. */
export function readTokenChallenge(header: string | undefined): TokenChallenge | undefined {
  const challenges = readChallenges(header ?? "");
  const found =
    challenges.find(({ scheme }) => scheme === "bearer") ??
    challenges.find(({ scheme }) => scheme === "dpop");
  if (found === undefined) {
    return undefined;
  }
  const { resource_metadata: resourceMetadata, scope, error } = found.parameters;
  return {
    scheme: found.scheme,
    ...(resourceMetadata === undefined ? {} : { resourceMetadata }),
    ...(scope === undefined ? {} : { scope }),
    ...(error === undefined ? {} : { error }),
  };
}

interface Challenge {
  readonly scheme: string;
  /** By lower-case name; of repeated ones the first. */
  readonly parameters: Record<string, string>;
}

/** A scheme, or a parameter with its value, quoted or not. */
const part = /[\s,]*([!#$%&'*+.^_`|~\w-]+)(?:[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*)))?/y;

function readChallenges(header: string): readonly Challenge[] {
  const challenges: Challenge[] = [];
  part.lastIndex = 0;
  for (let found = part.exec(header); found !== null; found = part.exec(header)) {
    const [, name = "", quoted, plain] = found;
    const value = quoted?.replace(/\\(.)/g, "$1") ?? plain;
    if (value === undefined) {
      challenges.push({ scheme: name.toLowerCase(), parameters: Object.create(null) });
    } else {
      const { parameters = {} } = challenges.at(-1) ?? {};
      parameters[name.toLowerCase()] ??= value;
    }
  }
  return challenges;
}

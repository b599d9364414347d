import { type Finding, finding } from "./finding.ts";

/** Values that somebody has forgotten to fill in. The values themselves are not told: others may be right. */
export function emptyOrPlaceholder(
  key: string,
  values: Readonly<Record<string, string>>,
): readonly Finding[] {
  return Object.entries(values).flatMap(([name, value]): readonly Finding[] => {
    const place = key === name ? `"${key}"` : `"${name}" in "${key}"`;
    if (value.trim() === "") {
      return [
        finding("warning", "value-empty", {
          message: `${place} is empty.`,
          advice: "Fill it in, set the variable that it comes from, or leave it out.",
        }),
      ];
    }
    return isPlaceholder(value)
      ? [
          finding("warning", "value-placeholder", {
            message: `${place} looks like the placeholder of an example.`,
            advice: `Put the real value there, best from your environment: \${NAME}.`,
          }),
        ]
      : [];
  });
}

const isPlaceholder = (value: string): boolean =>
  /^(?:bearer +)?(?:<[^>]*>|\[[^\]]*\]|x{3,}|\.{3}|…|changeme|change[-_ ]me|todo|replace[-_ ].*)$/i.test(
    value.trim(),
  ) ||
  /\b(?:your|my)[-_ ](?:\w+[-_ ])?(?:api|access|auth|token|key|secret|pat|password)/i.test(value);

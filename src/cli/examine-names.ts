import { normalizeToolName } from "../tool/tool-names.ts";
import { type Finding, finding } from "./finding.ts";

/** The names of one server's tools. */
export interface NamedTools {
  readonly server: string;
  readonly tools: readonly string[];
}

/** What the names of all servers' tools do to each other in a run that has them all. */
export function examineNames(servers: readonly NamedTools[]): readonly Finding[] {
  const owners = new Map<string, string[]>();
  for (const { server, tools } of servers) {
    for (const tool of tools) {
      const key = normalizeToolName(tool).toLowerCase().replaceAll("-", "_");
      owners.set(key, [...(owners.get(key) ?? []), `${server}: ${tool}`]);
    }
  }
  const colliding = [...owners.values()].filter((names) => names.length > 1);
  return colliding.length === 0
    ? []
    : [
        finding("info", "tool-names-collide", {
          message: `${colliding.length} name(s) of tools are the same for a model, so that those tools get the server's name as a prefix in a run that has them all.`,
          evidence: colliding.slice(0, 20).map((names) => names.join(" / ")),
          advice:
            'Nothing has to be done. "prefix": true of a toolset prefixes always; "tools" chooses and renames.',
        }),
      ];
}

/** What is odd about the names of one server's tools. */
export function examineOwnNames(tools: readonly string[]): readonly Finding[] {
  const foreign = tools.filter((name) => !/^[\w./-]{1,128}$/.test(name));
  return foreign.length === 0
    ? []
    : [
        finding("warning", "tool-name-odd", {
          message:
            "Names of tools hold characters that MCP does not allow, and that may look like others.",
          evidence: foreign.slice(0, 20).map((name) => `${name} (${escaped(name)})`),
          advice:
            "Look whether another server has a tool that looks alike. The model sees a plain form.",
        }),
      ];
}

/** What is not plain ASCII, in a form in which it shows. */
const escaped = (name: string): string =>
  [...name]
    .map((character) =>
      /^[\x20-\x7e]$/.test(character)
        ? character
        : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
    )
    .join("");

import { styleText } from "node:util";
import type { JsonObject } from "../base/json.ts";
import { comparePins, type PinComparison } from "../mcp/definitions/compare-pins.ts";
import type { McpToolDefinition } from "../mcp/definitions/tool-definition.ts";
import { pinTools, readToolLock, toolLockOf, writeToolLock } from "../mcp/definitions/tool-lock.ts";
import type { ServerPins } from "../tool/tool-pins.ts";
import { type Answer, answering } from "./answer.ts";
import { CliError } from "./cli-error.ts";
import type { CliStreams } from "./cli-streams.ts";
import type { ExitCode } from "./exit-code.ts";
import { listOfTools } from "./list-of-tools.ts";
import type { McpPinOptions } from "./mcp-group.ts";
import { readSomeTargets, type ServerTarget, secretsOf, serverNamed } from "./mcp-targets.ts";
import { useServer } from "./open-server.ts";
import { terminalLine, terminalText } from "./terminal-text.ts";

/**
 * `dragoman mcp pin`: writes what the tools of servers say now into the lock file, and shows what
 * differs from what it said. With `--check` it writes nothing, and the exit code is 1 where something
 * differs. A server that cannot be asked is exit code 2, and then nothing is written either.
 *
 * @param names of the servers to pin, while the others keep their pins; none: all, and no other stays.
 */
export function mcpPin(
  names: readonly string[],
  options: McpPinOptions,
  streams: CliStreams,
): Promise<ExitCode> {
  return answering(options, streams, async (secrets): Promise<Answer> => {
    const { lock: file, check = false } = options;
    const targets = await readSomeTargets(options, streams.env);
    secrets.push(...targets.flatMap(secretsOf));
    const isPartial = names.length > 0;
    const chosen = isPartial ? names : targets.map(({ name }) => name);
    const servers = chosen.map((name) => serverNamed(targets, name));
    const before = await readToolLock(file);
    if (check && before === undefined) {
      throw new CliError(`There is no file ${file}: write it with dragoman mcp pin.`, {
        code: "file-unusable",
      });
    }
    const pinned = before?.servers ?? {};
    const looks = await Promise.all(
      servers.map((target) => lookAt(target, { pinned, options, streams })),
    );
    const gone = isPartial ? [] : Object.keys(pinned).filter((name) => !chosen.includes(name));
    if (!check) {
      const kept = isPartial ? pinned : {};
      await writeToolLock(file, toolLockOf({ ...kept, ...pinsOf(looks) }));
    }
    return answerOf(looks, { gone, file, check, streams });
  });
}

async function lookAt(
  target: ServerTarget,
  {
    pinned,
    options,
    streams,
  }: {
    readonly pinned: Readonly<Record<string, ServerPins>>;
    readonly options: McpPinOptions;
    readonly streams: CliStreams;
  },
): Promise<Look> {
  const { name } = target;
  const { tools, notices } = await useServer(target, { options, streams }, (client) =>
    listOfTools(client, streams.signal),
  );
  const old = Object.hasOwn(pinned, name) ? pinned[name] : undefined;
  const remarks = notices.map(({ message }) => message);
  return { name, tools, comparison: comparePins(tools, old), remarks };
}

function answerOf(
  looks: readonly Look[],
  {
    gone,
    file,
    check,
    streams,
  }: {
    readonly gone: readonly string[];
    readonly file: string;
    readonly check: boolean;
    readonly streams: CliStreams;
  },
): Answer {
  const differs = gone.length > 0 || looks.some(({ comparison }) => isDifferent(comparison));
  return {
    document: {
      lock: file,
      written: !check,
      differs,
      servers: looks.map(documentOf),
      removedServers: gone,
    },
    text: [
      ...looks.map((look) => textOf(look, streams)),
      ...gone.map((name) => `${terminalLine(name, 100)}: no longer among the servers\n`),
      check ? outcomeOfCheck(differs, file) : `wrote ${file}`,
    ].join("\n"),
    exitCode: check && differs ? 1 : 0,
  };
}

/** A server as it is now, beside its pins. */
interface Look {
  readonly name: string;
  readonly tools: readonly McpToolDefinition[];
  readonly comparison: PinComparison;
  /** What was left out or changed in the listing. */
  readonly remarks: readonly string[];
}

const pinsOf = (looks: readonly Look[]): Readonly<Record<string, ServerPins>> =>
  Object.fromEntries(looks.map(({ name, tools }) => [name, pinTools(tools)]));

const isDifferent = ({ added, changed, removed }: PinComparison): boolean =>
  added.length + changed.length + removed.length > 0;

function documentOf({ name, tools, comparison, remarks }: Look): JsonObject {
  const { added, changed, removed } = comparison;
  return {
    name,
    tools: tools.length,
    added,
    changed: changed.map((tool) => ({ name: tool.name, changes: tool.changes })),
    removed,
    notices: remarks,
  };
}

function textOf(
  { name, tools, comparison, remarks }: Look,
  { stdout: stream }: CliStreams,
): string {
  const { added, changed, removed } = comparison;
  const line = (sign: string, style: "green" | "yellow" | "red", words: string): string =>
    `  ${styleText(style, sign, { stream })} ${terminalText(words)}`;
  const { length } = tools;
  return [
    `${styleText("bold", terminalLine(name, 100), { stream })}: ${length} tool(s)${isDifferent(comparison) ? "" : ", as they were pinned"}`,
    ...added.map((tool) => line("+", "green", tool)),
    ...changed.flatMap((tool) => [
      line("~", "yellow", tool.name),
      ...tool.changes.map((change) => `      ${terminalText(change)}`),
    ]),
    ...removed.map((tool) => line("-", "red", tool)),
    ...remarks.map((remark) => line("!", "yellow", remark)),
    "",
  ].join("\n");
}

const outcomeOfCheck = (differs: boolean, file: string): string =>
  differs
    ? `The tools are not what ${file} says. Look at the differences; dragoman mcp pin records them.`
    : `The tools are as ${file} says.`;

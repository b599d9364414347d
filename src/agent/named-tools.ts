import { didYouMean } from "../base/closest-name.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import type { ToolCallPart } from "../message/content.ts";
import type { ToolCandidate } from "../tool/choose-tools.ts";
import { LookAlikes } from "../tool/look-alike.ts";
import { ownToolNames } from "../tool/own-tools.ts";
import type { ScoredDocument } from "../tool/scorer.ts";
import type { Tool } from "../tool/tool.ts";
import { normalizeToolName, uniqueToolNames } from "../tool/tool-names.ts";
import type { ToolResult } from "../tool/tool-result.ts";
import type { OpenedServer, OpeningScope } from "./open-server.ts";
import type { RunServers } from "./run-servers.ts";
import type { ToolSearch } from "./tool-search.ts";
import type { WantedTools } from "./wanted-tools.ts";

/** The tools of one run, and what must be closed after it. */
export interface RunTools {
  /** All that may be called, by the name that the model sees. Changed by {@link update} only. */
  readonly tools: ReadonlyMap<string, Tool>;
  /** Those of them that the model is told of. Changed by {@link update} and {@link learn}. */
  readonly shown: ReadonlyMap<string, Tool>;
  readonly servers: RunServers;
  /** Whether every server is open that the run may have, also those that discovery has not chosen. */
  readonly isWhole: boolean;
  /** `tools: "none"`: nothing is sent to the model, whatever is connected. */
  readonly isSilent: boolean;
  /** What servers with tools in the run say on their use, fenced. Grows by {@link update} only. */
  readonly instructions: readonly string[];
  /**
   * Adds the tools of servers that have become ready, and takes over what servers say that changed.
   *
   * @throws what `RunServers.check` throws.
   */
  update(): Promise<void>;
  /** Adds a tool of Dragoman's own and shows it. @returns whether the run has it: not where its name is taken. */
  add(tool: Tool): boolean;
  /** Shows the tools that the calls of a turn have found. @throws what `RunServers.check` throws. */
  learn(calls: readonly ToolCallPart[], results: readonly ToolResult[]): Promise<void>;
  /** Waits for all servers, then updates. @throws what `RunServers.check` throws. */
  complete(): Promise<void>;
}

/** Tools by the names that the model sees, all different. A name that was given stays. */
export class NamedTools implements RunTools {
  readonly servers: RunServers;
  readonly #tools = new Map<string, Tool>();
  readonly #shown = new Map<string, Tool>();
  /** The servers' tools, as a search sees them. */
  readonly #candidates = new Map<string, ToolCandidate>();
  readonly #instructions: string[] = [];
  readonly #lookAlikes = new LookAlikes();
  readonly #wanted: WantedTools;
  readonly #scope: OpeningScope;
  /** How many more of the servers' tools are shown as they come. */
  #room = Number.POSITIVE_INFINITY;
  #search: ToolSearch | undefined;
  /** The servers whose tools are in, each with how it was when they were looked at last. */
  readonly #included = new Map<OpenedServer, OpenedServer>();
  /** One after the other, since each looks at what the one before has left. */
  #updating: Promise<void> = Promise.resolve();
  #missingTold = false;

  constructor(wanted: WantedTools, servers: RunServers, scope: OpeningScope) {
    this.servers = servers;
    this.#wanted = wanted;
    this.#scope = scope;
    if (!wanted.silent) {
      const native = wanted.native.map((tool) => ({ tool, server: undefined }));
      this.show(this.#add(native));
    }
  }

  get tools(): ReadonlyMap<string, Tool> {
    return this.#tools;
  }

  get shown(): ReadonlyMap<string, Tool> {
    return this.#shown;
  }

  get isWhole(): boolean {
    return this.#wanted.servers.length === this.servers.open.length;
  }

  get isSilent(): boolean {
    return this.#wanted.silent;
  }

  get instructions(): readonly string[] {
    return this.#instructions;
  }

  /** From now on only so many of the servers' tools are shown, those that `search` chooses. */
  async hide(search: ToolSearch, limit: number): Promise<void> {
    this.#room = 0;
    // First, so that no server's tool can have its name.
    const added = search.canFind ? this.#add([{ tool: search.findTools, server: undefined }]) : [];
    await this.update();
    await search.begin();
    this.#room = limit - this.candidates.filter(({ name }) => this.isShown(name)).length;
    this.show(search.isUseful ? added : []);
    this.#search = search;
  }

  update(): Promise<void> {
    const updated = this.#updating.then(() => this.#update());
    this.#updating = updated.catch(() => {}); // told to who has asked
    return updated;
  }

  add(tool: Tool): boolean {
    if (!this.#wanted.silent && !this.#tools.has(tool.name)) {
      this.#tools.set(tool.name, tool);
      this.#shown.set(tool.name, tool);
    }
    return this.#tools.get(tool.name) === tool;
  }

  async learn(calls: readonly ToolCallPart[], results: readonly ToolResult[]): Promise<void> {
    await this.#search?.learn(calls, results);
  }

  async complete(): Promise<void> {
    await this.servers.complete();
    await this.update();
  }

  get candidates(): readonly ToolCandidate[] {
    return [...this.#candidates.values()];
  }

  isShown(name: string): boolean {
    return this.#shown.has(name);
  }

  show(names: readonly string[]): void {
    for (const name of names) {
      const tool = this.#tools.get(name);
      if (tool !== undefined) {
        this.#shown.set(name, tool);
      }
    }
  }

  async #update(): Promise<void> {
    this.servers.check();
    if (this.#wanted.silent) {
      return;
    }
    await this.#takeChanges();
    for (let ready = this.#waiting; ready.length > 0; ready = this.#waiting) {
      const joining = await this.#joinedNow(ready);
      this.#include(ready.filter(({ name }) => joining.includes(name)));
    }
    this.#tellMissing();
  }

  /** Servers that are open, and whose tools are not in. */
  get #waiting(): readonly OpenedServer[] {
    return this.servers.open.filter((server) => !this.#included.has(server));
  }

  /**
   * Which servers come in together, by name. That decides on the names of their tools, so it is a step:
   * a run that is resumed may have all of them at once, and its tools keep their names.
   */
  #joinedNow(ready: readonly OpenedServer[]): Promise<readonly string[]> {
    return this.#scope.steps.run("join", async () => ready.map(({ name }) => name));
  }

  #include(servers: readonly OpenedServer[]): void {
    const chosen = chosenTools(this.#wanted, servers);
    const added = this.#add(chosen);
    for (const server of servers) {
      const { name, toolset } = server;
      this.#included.set(server, server);
      if (toolset.instructions !== undefined && chosen.some((one) => one.server === name)) {
        this.#instructions.push(toolset.instructions);
      }
    }
    this.show(added.slice(0, Math.max(0, this.#room)));
    this.#room -= added.length;
  }

  /** What servers have said that changed. It asks nobody where none has said so. */
  async #takeChanges(): Promise<void> {
    const changes = [...this.#included].map(
      async ([server, before]) => [server, await before.changed()] as const,
    );
    for (const [server, now] of await Promise.all(changes)) {
      if (now !== undefined) {
        this.#included.set(server, now);
        this.#replaceTools(now);
      }
    }
  }

  /** A tool that stays keeps its name, whatever else there is now. */
  #replaceTools(server: OpenedServer): void {
    const offered = chosenTools(this.#wanted, [server]);
    const standing = new Map<string, string>();
    for (const [name, { source }] of this.#tools) {
      if (source?.server !== server.name) {
        continue;
      }
      if (offered.some(({ tool }) => tool.source?.name === source.name)) {
        standing.set(source.name, name);
      } else {
        this.#tools.delete(name);
        this.#shown.delete(name);
        this.#candidates.delete(name);
      }
    }
    const nameOf = ({ tool }: OfferedTool): string | undefined =>
      standing.get(tool.source?.name ?? "");
    for (const one of offered) {
      const name = nameOf(one);
      if (name !== undefined) {
        this.#put(name, one);
        this.show(this.#shown.has(name) ? [name] : []);
      }
    }
    const added = this.#add(offered.filter((one) => nameOf(one) === undefined));
    this.show(added.slice(0, Math.max(0, this.#room)));
    this.#room -= added.length;
  }

  #put(name: string, { tool, server, document }: OfferedTool): void {
    this.#tools.set(name, name === tool.name ? tool : tool.with({ name }));
    if (server !== undefined && document !== undefined) {
      this.#candidates.set(name, { name, server, document });
    }
  }

  /** @returns the names that they have got, in their order. */
  #add(offered: readonly OfferedTool[]): readonly string[] {
    const honest = offered.filter((one) => !this.#isLookAlike(one));
    const names = namesOf(honest, this.#tools, this.#scope);
    for (const [index, one] of honest.entries()) {
      this.#put(names[index] ?? one.tool.name, one); // one name for each tool
    }
    return names;
  }

  /** A name that can be mistaken for one that is there already is a server's way to get its calls. */
  #isLookAlike({ tool: { name }, server }: OfferedTool): boolean {
    const known = this.#lookAlikes.meet({ name, server });
    if (known === undefined) {
      return false;
    }
    const whose = known.server === undefined ? "" : ` of "${known.server}"`;
    this.#scope.steps.emit({
      kind: "notice",
      code: "tool-look-alike",
      message: `Tool "${name}" of "${server}" is left out, since its name can be mistaken for "${known.name}"${whose}. Give it another name with mapTool, or its toolset a prefix.`,
    });
    return true;
  }

  /** Once all servers have answered, names that were asked for and that nobody has. */
  #tellMissing(): void {
    if (this.#missingTold || !this.servers.settled) {
      return;
    }
    this.#missingTold = true;
    const offered = offeredTools(this.servers.open);
    for (const name of this.#wanted.names ?? []) {
      if (!offered.some((one) => answersTo(one, name))) {
        const known = offered.map(({ tool }) => tool.name);
        const message = `No tool is called "${name}".${didYouMean(name, known)}`;
        this.#scope.steps.emit({ kind: "notice", code: "tool-missing", message });
        const { runtime, binding } = this.#scope;
        runtime.logger.warn(`agent "${binding.agent.name}": ${message}`);
      }
    }
  }
}

/** A tool and the alias of the server that it comes from. */
interface OfferedTool {
  readonly tool: Tool;
  readonly server: string | undefined;
  readonly document?: ScoredDocument | undefined;
}

function offeredTools(servers: readonly OpenedServer[]): readonly OfferedTool[] {
  return servers.flatMap(({ toolset, prefix, name: server, documents }) =>
    toolset.tools.map((tool, index): OfferedTool => {
      const name = normalizeToolName(`${server}_${tool.name}`);
      return { tool: prefix ? tool.with({ name }) : tool, server, document: documents?.[index] };
    }),
  );
}

function chosenTools(
  { names }: WantedTools,
  servers: readonly OpenedServer[],
): readonly OfferedTool[] {
  const offered = offeredTools(servers);
  return names === undefined
    ? offered
    : offered.filter((one) => names.some((name) => answersTo(one, name)));
}

const answersTo = ({ tool }: OfferedTool, name: string): boolean =>
  tool.name === name || tool.source?.name === name;

/** Names for tools that are all different, also from those that are taken. */
function namesOf(
  offered: readonly OfferedTool[],
  taken: ReadonlyMap<string, Tool>,
  { steps, binding }: OpeningScope,
): readonly string[] {
  const standing = [...new Set([...taken.keys(), ...ownToolNames])].map((name) => ({
    name,
    server: undefined,
  }));
  const asked = offered.map(({ tool, server }) => ({ name: tool.name, server }));
  const names = uniqueToolNames([...standing, ...asked]).slice(standing.length);
  const given = new Set(taken.keys());
  offered.forEach(({ tool, server }, index) => {
    const name = names[index] ?? tool.name; // one name for each tool
    if (given.has(name)) {
      throw new ConfigurationError(
        `Two tools of agent "${binding.agent.name}" are called "${name}". Rename one of them.`,
        { code: "invalid-definition" },
      );
    }
    given.add(name);
    if (name !== tool.name) {
      steps.emit({
        kind: "notice",
        code: "tool-renamed",
        message: `Tool "${tool.name}" of "${server}" is called "${name}" in this run, since its own name is taken or not valid.`,
      });
    }
  });
  return names;
}

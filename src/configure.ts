import { type Agent, createAgent } from "./agent/agent.ts";
import type { AgentDefinition } from "./agent/agent-definition.ts";
import type { AgentRuntime } from "./agent/agent-runtime.ts";
import { type ArtifactSettings, artifactLimits } from "./agent/artifact-settings.ts";
import { checkModel } from "./agent/check-model.ts";
import { checkToolLevel } from "./agent/check-selection.ts";
import { checkDiscovery, type Discovery } from "./agent/discovery.ts";
import { MemoryRunStore } from "./agent/memory-run-store.ts";
import type { RunStore } from "./agent/run-store.ts";
import type { Selection } from "./agent/selection.ts";
import type { SessionStore } from "./agent/session-store.ts";
import type { McpEntry, ToolEntry } from "./agent/tool-level.ts";
import { checkObject } from "./base/check-object.ts";
import { type Clock, systemClock } from "./base/clock.ts";
import type { CredentialSource } from "./base/credential.ts";
import { ConfigurationError } from "./base/dragoman-error.ts";
import { consoleLogger, type Logger } from "./base/logger.ts";
import { groupTracers } from "./base/tracer-group.ts";
import type { Tracer } from "./base/tracing.ts";
import { createModelChooser, type ModelFactory } from "./default-model.ts";
import type { Model } from "./model/model.ts";
import type { TextAdapter } from "./model/text-adapter.ts";
import { type AssemblyFunctions, assemblyFunctions } from "./network/define-assemblies.ts";
import { type CatalogueStore, memoryCatalogues } from "./tool/catalogue.ts";
import { isTool } from "./tool/tool.ts";
import type { PinsSetting } from "./tool/tool-pins.ts";

/** What holds for every agent that says nothing else. */
export interface DragomanConfig {
  /** The default model, or its id. Absent: see {@link createModelChooser}. */
  readonly model?: string | Model | TextAdapter;
  /** Makes the models of all runs whose model is named by an id, or not at all. */
  readonly models?: ModelFactory;
  /** Tools of every agent that inherits, and those that agents may choose by name. */
  readonly tools?: Selection<ToolEntry>;
  /** MCP servers of every agent that inherits. */
  readonly mcp?: Selection<McpEntry>;
  /**
   * What a run means that says nothing of its tools or servers. Default: `"inherit"`, it has what its
   * agent declares. `"none"` is the strict form: a bare run connects nothing and sends no tools.
   */
  readonly defaults?: { readonly tools?: "none" | "inherit"; readonly mcp?: "none" | "inherit" };
  /** Which servers and tools runs use, by what they are asked, where their agents say nothing of it. */
  readonly discovery?: Discovery | "none";
  /** Where the tools of servers are remembered for discovery. Default: in this process's memory. */
  readonly catalogues?: CatalogueStore;
  /**
   * Whether the tools of MCP servers must be as they were pinned by `dragoman mcp pin`, where a server
   * says nothing of it, and where the pins are. Default `"off"`.
   */
  readonly pins?: PinsSetting;
  /** What tools get from `call.binding.credential(name)`: `Credentials` of `dragoman/credentials`. */
  readonly credentials?: CredentialSource;
  /** The application's name, under which its sessions are kept. Default `"default"`. */
  readonly app?: string;
  /**
   * Where the sessions of runs are kept: `memorySessions`, `sqliteSessions` or `postgresSessions` of
   * `dragoman/stores`, or a store of your own. Absent: a run with a session must bring its store.
   */
  readonly sessions?: SessionStore;
  /** Where the files of runs are kept, and how deferred ones are fetched. Absent: in each run itself. */
  readonly artifacts?: ArtifactSettings;
  /**
   * Where runs are kept while they go on, so that they survive their process. Absent: a run is kept in
   * memory, and only while it waits for somebody.
   */
  readonly runs?: RunStore;
  /**
   * Who is told of the operations of runs: `OpenTelemetryTracing` of `dragoman/otel`, a `Tracer` of your
   * own, or several. Default: nobody, and nothing is made for it.
   */
  readonly instrument?: Tracer | readonly Tracer[];
  /** Default: warnings and errors on the console's error stream. */
  readonly logger?: Logger;
  /** Where keys and hosts are looked up. Default: the process's environment, where there is one. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
  /** A random number from 0 to 1. Default: `Math.random`. */
  readonly random?: () => number;
}

/** Dragoman's functions, bound to one configuration. */
export interface Dragoman extends AssemblyFunctions {
  /** @throws ConfigurationError `invalid-definition`. */
  defineAgent<Output = undefined>(definition: AgentDefinition<Output>): Agent<Output>;
  /** Replaces what is given of the configuration; runs that have begun keep what they have. */
  configure(config: DragomanConfig): void;
}

/** A Dragoman of its own, which shares no configuration with any other. */
export function createDragoman(config: DragomanConfig = {}): Dragoman {
  let current = config;
  checkConfig(config);
  const memory: Memory = {
    told: new Set(),
    catalogues: memoryCatalogues(),
    suspendedRuns: new MemoryRunStore({ maxRuns: 1_000 }),
    activeRuns: new Set(),
  };
  let runtime = createRuntime(current, memory);
  return {
    defineAgent: (definition) => createAgent(definition, () => runtime),
    ...assemblyFunctions(() => runtime),
    configure(changes) {
      checkConfig(changes);
      const next = { ...current, ...changes };
      runtime = createRuntime(next, memory);
      current = next; // not before: what was refused must not come back with the next change
    },
  };
}

/** Every setting, so that the compiler misses none here. */
const settings: Readonly<Record<keyof DragomanConfig, true>> = {
  model: true,
  models: true,
  tools: true,
  mcp: true,
  defaults: true,
  discovery: true,
  catalogues: true,
  pins: true,
  credentials: true,
  app: true,
  sessions: true,
  artifacts: true,
  runs: true,
  logger: true,
  env: true,
  clock: true,
  random: true,
  instrument: true,
};

function checkConfig(config: DragomanConfig): void {
  checkObject(config, Object.keys(settings), "configuration");
  checkModel(config.model, "The model of the configuration");
  checkLogger(config.logger);
  checkDiscovery(config.discovery, "configured discovery");
  checkToolLevel(config, "of the configuration");
}

/** What outlives a change of the configuration. */
interface Memory extends Pick<AgentRuntime, "catalogues" | "suspendedRuns" | "activeRuns"> {
  readonly told: Set<string>;
}

function checkLogger(logger: Logger | undefined): void {
  const levels = ["debug", "info", "warn", "error"] as const;
  const missing = levels.find(
    (level) => logger !== undefined && typeof logger[level] !== "function",
  );
  if (missing !== undefined) {
    throw new ConfigurationError(
      `The logger of the configuration has no function ${missing}. It needs debug, info, warn and error, as console has; toLogger(pino) of dragoman/server makes one of pino.`,
      { code: "invalid-definition" },
    );
  }
}

function createRuntime(config: DragomanConfig, { told, ...memory }: Memory): AgentRuntime {
  const { tools, mcp, discovery, defaults } = config;
  const clock = config.clock ?? systemClock;
  const logger = config.logger ?? consoleLogger;
  artifactLimits(config.artifacts); // a mistake is told where it is made
  return {
    clock,
    random: config.random ?? Math.random,
    logger,
    tracer: groupTracers(tracersOf(config), logger),
    credentials: config.credentials ?? noCredentials,
    app: config.app ?? "default",
    sessions: config.sessions,
    artifacts: config.artifacts,
    runs: config.runs,
    ...memory,
    catalogues: config.catalogues ?? memory.catalogues,
    registeredTools: Array.isArray(tools) ? tools.filter(isTool) : [],
    global: { tools, mcp, discovery },
    pins: config.pins,
    defaults: { tools: defaults?.tools, mcp: defaults?.mcp },
    chooseModel: createModelChooser({
      model: config.model,
      models: config.models,
      logger,
      env: config.env ?? globalThis.process?.env ?? {},
      clock,
      told,
    }),
    async toToolset(server) {
      const { parseMcpServerConfig } = await import("./mcp/config/parse-mcp-server-config.ts");
      const { mcpToolset } = await import("./mcp/toolset/mcp-toolset.ts");
      return mcpToolset(parseMcpServerConfig(server, `MCP server "${server.name}"`));
    },
  };
}

const tracersOf = ({ instrument = [] }: DragomanConfig): readonly Tracer[] =>
  "start" in instrument ? [instrument] : instrument;

const noCredentials: CredentialSource = {
  async credential(name) {
    throw new ConfigurationError(
      `A tool asks for the credential ${JSON.stringify(name)}, but none are configured. Give configure({ credentials }) the Credentials of dragoman/credentials.`,
      { code: "invalid-configuration" },
    );
  },
};

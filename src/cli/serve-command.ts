import { pino } from "pino";
import type { Agent } from "../agent/agent.ts";
import type { Assembly } from "../agent/assembly.ts";
import { runtimeOf } from "../agent/create-assembly.ts";
import type { RunStore } from "../agent/run-store.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { isLoopbackHost } from "../base/loopback-host.ts";
import { createDragoman, type Dragoman } from "../configure.ts";
import { isModelId, noSuchModel } from "../provider-ids.ts";
import { createServer, type DragomanServer } from "../server/create-server.ts";
import type { Listening } from "../server/listener.ts";
import type { ServerOptions } from "../server/server-options.ts";
import { toLogger } from "../server/to-logger.ts";
import { memoryArtifacts } from "../stores/memory-artifacts.ts";
import { memorySessions } from "../stores/memory-sessions.ts";
import { cliAppName } from "./cli-agent.ts";
import { CliError } from "./cli-error.ts";
import type { CliStreams } from "./cli-streams.ts";
import type { ExitCode } from "./exit-code.ts";
import { filesystemServer } from "./filesystem-server.ts";
import { chosenStore, openRunStore } from "./run-store-argument.ts";
import { readServeConfig, type ServeConfig } from "./serve-config.ts";
import { openSessionFile } from "./session-file.ts";

/** What `dragoman serve` is called with. */
export interface ServeOptions {
  readonly port: number;
  readonly hostname: string;
  /** Names the token in the environment's stead. */
  readonly token?: string;
  readonly config?: string;
  readonly model?: string;
  /** Where runs are kept while they go on; default: in memory. */
  readonly store?: string;
  /** Where conversations are kept; default: with `store` in the user's data folder, else in memory. */
  readonly sessions?: string;
  /** Whether the web UI is there. Default: where only this machine can reach it. */
  readonly ui?: boolean;
  /** Serves MCP to whoever has started this process, and listens to nobody else. */
  readonly stdio?: boolean;
}

/** Names the token where `--token` does not: what is on the command line can be seen by others. */
const tokenVariable = "DRAGOMAN_TOKEN";

/** `dragoman serve`: serves agents until it is stopped. @throws ConfigurationError, CliError. */
export async function serveCommand(options: ServeOptions, streams: CliStreams): Promise<ExitCode> {
  const place = chosenStore(options.store, streams.env);
  await using store = place === undefined ? undefined : await openRunStore(place, streams.env);
  await using sessions =
    options.sessions === undefined && store === undefined
      ? memorySessions()
      : openSessionFile(options.sessions, streams.env);
  const log = pino({ name: "dragoman", level: options.stdio ? "warn" : "info" }, streams.stderr);
  const dragoman = createDragoman({
    app: cliAppName,
    env: streams.env,
    logger: toLogger(log),
    sessions,
    artifacts: { store: memoryArtifacts() },
  });
  const { agents, options: more } = await configured(options, dragoman, streams);
  const hasUi = options.ui ?? isLoopbackHost(options.hostname);
  await using living = await startAll(agents);
  const server = createServer({
    ...authOf(options, streams),
    log,
    ui: hasUi,
    // A page that is loaded again reads on.
    ...(hasUi ? { agUi: { onDisconnect: "continue" } } : {}),
    ...keeping(store),
    // A module's agents may have a store of their own.
    ...(options.sessions !== undefined || agents.some(isForgetful) ? { sessions } : {}),
    ...more,
    agents: living.agents,
  });
  try {
    await serve(
      server,
      {
        ...options,
        ui: more.ui === undefined ? hasUi : more.ui !== false,
        webhooks: Object.keys(more.webhooks ?? {}),
      },
      streams,
    );
  } finally {
    await server.close();
  }
  return 0;
}

const isForgetful = (agent: Assembly): boolean => runtimeOf(agent)?.sessions === undefined;

async function serve(
  server: DragomanServer,
  options: ServeOptions & { readonly webhooks: readonly string[] },
  streams: CliStreams,
): Promise<void> {
  const { port, hostname, stdio } = options;
  if (stdio === true) {
    if (streams.stdin === undefined) {
      throw new CliError("There is no standard input to serve.", { code: "invalid-usage" });
    }
    const serving = await server.serveStdio({ input: streams.stdin, output: streams.stdout });
    await Promise.race([serving.ended, stopped(streams.signal)]);
    await serving.close();
    return;
  }
  const listening = await server.listen({ port, hostname });
  greet(listening, options, streams);
  await stopped(streams.signal);
}

function greet(
  { url }: Listening,
  { ui, webhooks }: { readonly ui?: boolean; readonly webhooks: readonly string[] },
  { stdout }: CliStreams,
): void {
  const lines = [
    `Serving at ${url}`,
    ...(ui === true ? [`  web UI  ${url}/ui/`] : []),
    `  agents  ${url}/agents`,
    `  AG-UI   POST ${url}/agents/NAME/ag-ui`,
    `  MCP     ${url}/mcp`,
    ...webhooks.map((name) => `  webhook POST ${url}/webhooks/${name}`),
  ];
  stdout.write(`${lines.join("\n")}\nStop with Ctrl+C.\n`);
}

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
    }
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function configured(
  { config, model }: ServeOptions,
  dragoman: Dragoman,
  streams: CliStreams,
): Promise<ServeConfig> {
  if (config !== undefined) {
    if (model !== undefined) {
      throw new CliError("--model is for a server without --config: the file says the models.", {
        code: "invalid-usage",
      });
    }
    return readServeConfig(config, { dragoman, env: streams.env });
  }
  return Promise.resolve({ agents: [folderAgent(dragoman, model, streams)], options: {} });
}

/** What is served where nothing is configured: somebody who knows the current folder. */
function folderAgent(
  dragoman: Dragoman,
  model: string | undefined,
  { stderr }: CliStreams,
): Assembly {
  if (model !== undefined && !isModelId(model)) {
    throw new ConfigurationError(`--model: ${noSuchModel(model)}.`, {
      code: "invalid-configuration",
    });
  }
  const { config, isInstalled } = filesystemServer(process.cwd());
  if (!isInstalled) {
    stderr.write(
      "The reference filesystem server is not installed here, so npx fetches it, which needs the network: npm i @modelcontextprotocol/server-filesystem spares that.\n",
    );
  }
  return dragoman.defineAgent({
    name: "assistant",
    description: "Knows the files of the folder that the server was started in.",
    mcp: [config],
    ...(model === undefined ? {} : { model }),
  });
}

/** Runs in a store outlive their readers and the server. */
function keeping(store: RunStore | undefined): Partial<ServerOptions> {
  return store === undefined ? {} : { store, recover: true, agUi: { onDisconnect: "continue" } };
}

function authOf({ token }: ServeOptions, { env }: CliStreams): Partial<ServerOptions> {
  const given = token ?? (env[tokenVariable] || undefined);
  return given === undefined ? {} : { auth: { token: given } };
}

/** Agents whose connections stay open while the server lives. */
async function startAll(
  agents: readonly Assembly[],
): Promise<{ readonly agents: readonly Assembly[] } & AsyncDisposable> {
  const started = await Promise.all(
    agents.map(async (agent) => (isAgent(agent) ? await agent.start() : agent)),
  );
  return {
    agents: started,
    async [Symbol.asyncDispose]() {
      await Promise.all(started.map((agent) => (isAgent(agent) ? undefined : stop(agent))));
    },
  };
}

const isAgent = (agent: Assembly): agent is Agent => "start" in agent;

const stop = (agent: Assembly): Promise<void> | undefined =>
  "stop" in agent && typeof agent.stop === "function" ? agent.stop() : undefined;

import type { Clock } from "../base/clock.ts";
import type { CredentialSource } from "../base/credential.ts";
import type { Logger } from "../base/logger.ts";
import type { Tracer } from "../base/tracing.ts";
import type { Model } from "../model/model.ts";
import type { CatalogueStore } from "../tool/catalogue.ts";
import type { McpServerConfig } from "../tool/mcp-server-config.ts";
import type { Tool } from "../tool/tool.ts";
import type { PinsSetting } from "../tool/tool-pins.ts";
import type { Toolset } from "../tool/toolset.ts";
import type { ArtifactSettings } from "./artifact-settings.ts";
import type { Discovery } from "./discovery.ts";
import type { NoticeCode } from "./run-event.ts";
import type { RunStore } from "./run-store.ts";
import type { Selection } from "./selection.ts";
import type { SessionStore } from "./session-store.ts";
import type { McpEntry, ToolEntry } from "./tool-level.ts";

/** A model, and what a run should say of its choice. */
export interface ChosenModel {
  readonly model: Model;
  readonly notices?: readonly { readonly code: NoticeCode; readonly message: string }[];
}

/** What the composition root gives to every agent: the kernel's only way to the rest. */
export interface AgentRuntime {
  readonly clock: Clock;
  /** A random number from 0 to 1, to spread the waits between tries. */
  readonly random: () => number;
  readonly logger: Logger;
  /** Is told of the operations of runs; it never throws. `undefined` where nobody traces. */
  readonly tracer?: Tracer | undefined;
  /** Where tools get credentials from. */
  readonly credentials: CredentialSource;
  /** The name under which sessions are kept. */
  readonly app: string;
  /** Where sessions are kept that name no store of their own. */
  readonly sessions: SessionStore | undefined;
  /** How artifacts are kept and fetched, where the application has said it. */
  readonly artifacts: ArtifactSettings | undefined;
  /** Where runs are kept that name no store of their own. */
  readonly runs: RunStore | undefined;
  /** Where a run that is not kept otherwise waits for somebody. */
  readonly suspendedRuns: RunStore;
  /** Ids of the runs that this process executes now. */
  readonly activeRuns: Set<string>;
  /** Tools that can be chosen by name. */
  readonly registeredTools: readonly Tool[];
  /** The outermost level of tools and servers. */
  readonly global: {
    readonly tools: Selection<ToolEntry> | undefined;
    readonly mcp: Selection<McpEntry> | undefined;
    readonly discovery: Discovery | "none" | undefined;
  };
  /** What is remembered of servers' tools. */
  readonly catalogues: CatalogueStore;
  /** What is done with tools that are not what was pinned, where a toolset says nothing of it. */
  readonly pins?: PinsSetting | undefined;
  /** What a run that says nothing of its tools or servers means. */
  readonly defaults: {
    readonly tools: "none" | "inherit" | undefined;
    readonly mcp: "none" | "inherit" | undefined;
  };
  /**
   * The model that an id names, or the default one.
   *
   * @throws ConfigurationError `unknown-model` or `missing-api-key`.
   */
  chooseModel(wanted: string | undefined): Promise<ChosenModel>;
  /** @throws ConfigurationError where the configuration is not valid. */
  toToolset(config: McpServerConfig): Promise<Toolset>;
}

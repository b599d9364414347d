import type { Agent } from "./agent/agent.ts";
import type { AgentDefinition } from "./agent/agent-definition.ts";
import { createDragoman, type Dragoman, type DragomanConfig } from "./configure.ts";

/** What `defineAgent` and `configure` of this module are bound to: one for the process. */
const processDragoman = createDragoman();

/**
 * Describes an agent, under the process's configuration.
 *
 * @throws ConfigurationError `invalid-definition`.
 */
export const defineAgent: <Output = undefined>(
  definition: AgentDefinition<Output>,
) => Agent<Output> = processDragoman.defineAgent;

/** Agents with tasks, which share servers and tools. @throws ConfigurationError `invalid-definition`. */
export const defineNetwork: Dragoman["defineNetwork"] = processDragoman.defineNetwork;

/** Asks its members one after the other. @throws ConfigurationError `invalid-definition`. */
export const defineSequence: Dragoman["defineSequence"] = processDragoman.defineSequence;

/** Asks its members side by side. @throws ConfigurationError `invalid-definition`. */
export const defineParallel: Dragoman["defineParallel"] = processDragoman.defineParallel;

/** Asks its members until it is enough. @throws ConfigurationError `invalid-definition`. */
export const defineLoop: Dragoman["defineLoop"] = processDragoman.defineLoop;

/** Asks its members along edges with conditions. @throws ConfigurationError `invalid-definition`. */
export const defineGraph: Dragoman["defineGraph"] = processDragoman.defineGraph;

/** Lets its members hand over to each other. @throws ConfigurationError `invalid-definition`. */
export const defineSwarm: Dragoman["defineSwarm"] = processDragoman.defineSwarm;

/** Asks whom a function asks. @throws ConfigurationError `invalid-definition`. */
export const defineWorkflow: Dragoman["defineWorkflow"] = processDragoman.defineWorkflow;

/** Sets the process's defaults; what is not given stays. Libraries use {@link createDragoman}. */
export const configure: (config: DragomanConfig) => void = processDragoman.configure;

export type { Agent } from "./agent/agent.ts";
export type { AgentDefinition, AgentMode } from "./agent/agent-definition.ts";
export type {
  ApprovalAnswer,
  ApprovalPolicy,
  ApprovalRequest,
  ApprovalRule,
} from "./agent/approval.ts";
export { ArtifactError, type ArtifactErrorCode } from "./agent/artifact-error.ts";
export type {
  ArtifactResolver,
  ArtifactSettings,
  ResolveScope,
} from "./agent/artifact-settings.ts";
export type {
  ArtifactContent,
  ArtifactFilter,
  ArtifactHolder,
  ArtifactKey,
  ArtifactOwner,
  ArtifactPage,
  ArtifactRetention,
  ArtifactStore,
  ArtifactSummary,
  NewArtifact,
} from "./agent/artifact-store.ts";
export type { Assembly } from "./agent/assembly.ts";
export { cancelKeptRun } from "./agent/cancel-kept-run.ts";
export type { Discovery, ToolDiscovery } from "./agent/discovery.ts";
export type { AvailableTool, Explanation } from "./agent/explain.ts";
export { type FollowOptions, followRun } from "./agent/follow-run.ts";
export type { HookedCall, Hooks } from "./agent/hooks.ts";
export type { LiveAgent, StartOptions } from "./agent/live-agent.ts";
export type { LimitReason, RunLimits } from "./agent/loop-guard.ts";
export type { RetryPolicy } from "./agent/model-policy.ts";
export type { Plan, PlanStep } from "./agent/plan.ts";
export {
  createPlanner,
  type NextAction,
  type Planner,
  type PlannerCallOptions,
  type PlannerOptions,
} from "./agent/planner.ts";
export { defaultPrompts, type Prompts, promptsVersion } from "./agent/prompts.ts";
export type { Run } from "./agent/run.ts";
export type { RunArtifact } from "./agent/run-artifacts.ts";
export { RunError, type RunErrorCode, type RunErrorOptions } from "./agent/run-error.ts";
export type { NoticeCode, RunEvent, RunEventBody, RunEventPlace } from "./agent/run-event.ts";
export type { FailedServer, RunFailure } from "./agent/run-failure.ts";
export type { RunInput } from "./agent/run-input.ts";
export type { ResumeOptions, RunOptions, SessionChoice } from "./agent/run-options.ts";
export type {
  CancelledRun,
  CompletedRun,
  FailedRun,
  ParticipantReport,
  RunReport,
  RunResult,
  SuspendedRun,
} from "./agent/run-result.ts";
export type {
  EventRange,
  NewRun,
  RunAge,
  RunChanges,
  RunFilter,
  RunKey,
  RunOwner,
  RunPage,
  RunRecord,
  RunStatus,
  RunStore,
  StepRecord,
} from "./agent/run-store.ts";
export type { Selection } from "./agent/selection.ts";
export { SessionError, type SessionErrorCode } from "./agent/session-error.ts";
export { type MessageArtifacts, wholeMessages } from "./agent/session-media.ts";
export type {
  AppendOptions,
  MessageRange,
  NewSession,
  Session,
  SessionChanges,
  SessionFilter,
  SessionKey,
  SessionPage,
  SessionStore,
  SessionSummary,
  StoredMessage,
} from "./agent/session-store.ts";
export type { StepAttempt, StepOptions, Steps } from "./agent/steps.ts";
export type { McpEntry, ToolEntry, ToolLevel } from "./agent/tool-level.ts";
export type { Decision, Waiting, WaitingCall } from "./agent/waiting.ts";
export { type EventArtifacts, wholeEvent } from "./agent/whole-event.ts";
export type { Clock } from "./base/clock.ts";
export type { Credential, CredentialScope, CredentialSource } from "./base/credential.ts";
export {
  ConfigurationError,
  type ConfigurationErrorCode,
  DragomanError,
  type DragomanErrorOptions,
} from "./base/dragoman-error.ts";
export type { Json, JsonObject } from "./base/json.ts";
export type { JsonSchema, SchemaIssue } from "./base/json-schema.ts";
export { type Logger, silentLogger } from "./base/logger.ts";
export type { InferSchema, Schema } from "./base/schema.ts";
export { Secret } from "./base/secret.ts";
export {
  ToolCertificateError,
  ToolError,
  type ToolErrorCode,
  type ToolErrorKindOptions,
  type ToolErrorOptions,
  ToolHttpError,
  type ToolHttpErrorResponse,
  ToolNetworkError,
  ToolTimeoutError,
} from "./base/tool-error.ts";
export { type TraceContext, traceContextFrom } from "./base/trace-context.ts";
export type {
  TraceContent,
  TraceEndpoint,
  TraceEvent,
  TraceFacts,
  TraceMcpFacts,
  TraceOperation,
  TraceOutcome,
} from "./base/trace-operation.ts";
export type { ActiveSpan, Tracer } from "./base/tracing.ts";
export { createDragoman, type Dragoman, type DragomanConfig } from "./configure.ts";
export type { ModelFactory, ModelFactoryOptions } from "./default-model.ts";
export type {
  AssistantContent,
  MediaPart,
  MediaSource,
  ProviderData,
  ReasoningPart,
  ResultContent,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  UserContent,
} from "./message/content.ts";
export type {
  AssistantMessage,
  Message,
  SystemMessage,
  ToolMessage,
  UserMessage,
} from "./message/message.ts";
export type {
  Model,
  ModelCapabilities,
  ModelRequest,
  OutputRequest,
  ReasoningEffort,
  ToolChoice,
  ToolDefinition,
} from "./model/model.ts";
export { ModelError, type ModelErrorCode, type ModelErrorOptions } from "./model/model-error.ts";
export type { FinishReason, ModelEvent } from "./model/model-event.ts";
export {
  type AdapterAction,
  type AdapterTool,
  fromTextAdapter,
  type GenerateOptions,
  type TextAdapter,
} from "./model/text-adapter.ts";
export type { Usage } from "./model/usage.ts";
export type { AssemblyState } from "./network/assembly-state.ts";
export type { AssemblyHead } from "./network/define-assembly.ts";
export type { GraphDefinition, GraphEdge } from "./network/graph.ts";
export type { LoopDefinition } from "./network/loop.ts";
export type { MemberEntry, MemberOptions } from "./network/member.ts";
export type { NetworkDefinition, Routing } from "./network/network.ts";
export type { ParallelDefinition, ParallelOutput } from "./network/parallel.ts";
export type { SequenceDefinition } from "./network/sequence.ts";
export type { SwarmDefinition } from "./network/swarm.ts";
export type { WorkflowAsk, WorkflowContext, WorkflowFunction } from "./network/workflow.ts";
export { type TemplateValues, templateFile } from "./template-file.ts";
export {
  Artifact,
  type ArtifactLabel,
  type DeferredArtifact,
  type InlineArtifact,
  type StoredArtifact,
} from "./tool/artifact.ts";
export {
  type Binding,
  type BoundSession,
  type MemoryKey,
  memoryKey,
  type SharedMemory,
  type TypedMemoryKey,
} from "./tool/binding.ts";
export { bm25fScorer } from "./tool/bm25f-scorer.ts";
export type { CallPause, UserAnswer, UserQuestion } from "./tool/call-pause.ts";
export type {
  Catalogue,
  CatalogueStore,
  CatalogueTool,
} from "./tool/catalogue.ts";
export type {
  ChosenServer,
  ServerDecision,
  ServerDecisionReason,
  ServerDiscovery,
} from "./tool/choose-servers.ts";
export type { ChosenTool, ToolDecision } from "./tool/choose-tools.ts";
export { type ClientToolSpecification, defineClientTool } from "./tool/client-tool.ts";
export { defineTool, type ToolSpecification } from "./tool/define-tool.ts";
export type { McpLimits } from "./tool/mcp-limits.ts";
export type {
  HttpTransport,
  InstructionsPolicy,
  McpProtocol,
  McpServerConfig,
  McpTransport,
  StdioTransport,
} from "./tool/mcp-server-config.ts";
export type { ScoredDocument, ScoredServer, Scorer, ScorerChoice } from "./tool/scorer.ts";
export { tfCosineScorer } from "./tool/tf-cosine-scorer.ts";
export type {
  Tool,
  ToolAnnotations,
  ToolCall,
  ToolChanges,
  ToolProgress,
  ToolSource,
} from "./tool/tool.ts";
export {
  fromToolParameters,
  type ToolParameter,
  type ToolParameters,
  toToolParameters,
} from "./tool/tool-parameters.ts";
export type {
  PinMode,
  PinsSetting,
  ServerPins,
  ToolLock,
  ToolPin,
  ToolPins,
} from "./tool/tool-pins.ts";
export {
  type ToolFailure,
  type ToolPending,
  type ToolResult,
  type ToolResultParts,
  type ToolSuccess,
  toolFailure,
  toolPending,
  toolSuccess,
} from "./tool/tool-result.ts";
export type {
  OpenToolset,
  ServerLog,
  Toolset,
  ToolsetObserver,
  UnavailablePolicy,
} from "./tool/toolset.ts";

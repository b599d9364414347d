import { checkNumbers } from "../base/check-numbers.ts";
import { refuseUnknownKeys } from "../base/check-object.ts";
import { ConfigurationError, messageOf } from "../base/dragoman-error.ts";
import { isJsonObject, type JsonObject } from "../base/json.ts";
import type { Binding } from "../tool/binding.ts";
import type { Tool, ToolAnnotations } from "../tool/tool.ts";
import { RunError } from "./run-error.ts";

/** Whether a call may be made. The model reads the reason of a denial, the person that of a question. */
export type ApprovalAnswer =
  | { readonly kind: "allow" }
  | { readonly kind: "deny"; readonly reason: string }
  | { readonly kind: "ask"; readonly reason?: string };

/** A call that is to be approved. */
export interface ApprovalRequest {
  readonly tool: Tool;
  /** Checked against the tool's schema. */
  readonly arguments: JsonObject;
  /** Whether the model has read something in this run that an MCP server said. */
  readonly tainted: boolean;
  readonly binding: Binding;
}

/** What a rule says: always the same, or by the call. */
export type ApprovalRule =
  | "allow"
  | "ask"
  | "deny"
  | ((request: ApprovalRequest) => ApprovalGiven | Promise<ApprovalGiven>);

/** What a rule's function may give. */
type ApprovalGiven = "allow" | "ask" | "deny" | ApprovalAnswer;

/** Which calls are made at once, which only after somebody has said yes, and which never. */
export interface ApprovalPolicy {
  /**
   * By the name that the model sees, or the server's own name. Where another tool of the run has that
   * name, such a rule can only tighten what else holds.
   */
  readonly tools?: Readonly<Record<string, ApprovalRule>>;
  /** By the alias of the server. */
  readonly servers?: Readonly<Record<string, ApprovalRule>>;
  /** What holds where neither of them names the tool. Default `"allow"`. */
  readonly default?: ApprovalRule;
  /**
   * By what a tool says of itself. Since a server may say anything, such a rule can only tighten what
   * the others say.
   */
  readonly annotations?: Readonly<Partial<Record<keyof ToolAnnotations, ApprovalRule>>>;
  /** How long somebody may take to decide, in milliseconds; then the call is denied. Default: no limit. */
  readonly timeoutMs?: number;
}

const strictness = { allow: 0, ask: 1, deny: 2 } as const;

/**
 * What a policy says of a call: the rule for the tool, else for its server, else the default; tightened
 * by the rules for what the tool says of itself.
 *
 * @param isOfAnother whether a name is that of another tool: a server may call its tool what it likes,
 *   and would else be allowed what the application allows its own.
 *
 * @throws RunError `hook-failed` where a rule throws or gives something else: then nothing is called.
 */
export async function approve(
  policy: ApprovalPolicy,
  request: ApprovalRequest,
  isOfAnother: (name: string) => boolean,
): Promise<ApprovalAnswer> {
  const { tool } = request;
  const { tools = {}, servers = {}, annotations = {} } = policy;
  const sourceName = tool.source?.name;
  const bySource = own(tools, sourceName);
  const isBorrowed = sourceName !== undefined && isOfAnother(sourceName);
  const named = own(tools, tool.name) ?? (isBorrowed ? undefined : bySource);
  const borrowed = isBorrowed && bySource !== undefined ? [bySource] : [];
  const first = named ?? own(servers, tool.source?.server) ?? policy.default ?? "allow";
  const claimed = Object.entries(annotations).filter(
    ([name]) => tool.annotations?.[name as keyof ToolAnnotations] === true, // keys are checked when defined
  );
  let strictest: ApprovalAnswer = { kind: "allow" };
  for (const rule of [first, ...borrowed, ...claimed.map(([, rule]) => rule)]) {
    const answer = await answerOf(rule, request);
    strictest = strictness[answer.kind] > strictness[strictest.kind] ? answer : strictest;
  }
  return strictest;
}

const own = (
  rules: Readonly<Record<string, ApprovalRule>>,
  name: string | undefined,
): ApprovalRule | undefined =>
  name !== undefined && Object.hasOwn(rules, name) ? rules[name] : undefined;

async function answerOf(rule: ApprovalRule, request: ApprovalRequest): Promise<ApprovalAnswer> {
  let given: unknown = rule;
  if (typeof rule === "function") {
    try {
      given = await rule(request);
    } catch (cause) {
      const why = `The approval rule for tool "${request.tool.name}" failed: ${messageOf(cause)}`;
      throw new RunError(why, { code: "hook-failed", cause });
    }
  }
  const answer = typeof given === "string" ? { kind: given } : given;
  if (!isJsonObject(answer) || !Object.hasOwn(strictness, String(answer["kind"]))) {
    throw new RunError(
      `The approval rule for tool "${request.tool.name}" gave neither "allow", "ask", "deny" nor { kind, reason }.`,
      { code: "hook-failed" },
    );
  }
  const reason = typeof answer["reason"] === "string" ? { reason: answer["reason"] } : {};
  const kind = answer["kind"] as ApprovalAnswer["kind"]; // one of strictness
  return kind === "deny" ? { kind, reason: "a policy forbids it", ...reason } : { kind, ...reason };
}

const policyKeys = ["tools", "servers", "default", "annotations", "timeoutMs"];
const annotationKeys = ["readOnly", "destructive", "idempotent", "openWorld"];

/** @throws ConfigurationError `invalid-definition` that names the key and what is allowed. */
export function checkApprovalPolicy(policy: unknown, where: string): void {
  if (policy === undefined) {
    return;
  }
  const { tools, servers, annotations, timeoutMs, ...rest } = keysOf(policy, policyKeys, where);
  const place = { where: `in the ${where}`, code: "invalid-definition" } as const;
  checkNumbers({ timeoutMs }, { timeoutMs: "milliseconds" }, place);
  if (timeoutMs === Infinity) {
    throw invalid(`timeoutMs in the ${where} is Infinity; leave it out for no limit.`);
  }
  const rules = [
    ...Object.entries(rest),
    ...Object.entries(keysOf(tools ?? {}, undefined, `tools in the ${where}`)),
    ...Object.entries(keysOf(servers ?? {}, undefined, `servers in the ${where}`)),
    ...Object.entries(keysOf(annotations ?? {}, annotationKeys, `annotations in the ${where}`)),
  ];
  for (const [name, rule] of rules) {
    const isRule = typeof rule === "function" || Object.hasOwn(strictness, String(rule));
    if (!isRule) {
      throw invalid(
        `The rule for "${name}" in the ${where} must be "allow", "ask", "deny" or a function.`,
      );
    }
  }
}

function keysOf(
  value: unknown,
  known: readonly string[] | undefined,
  where: string,
): Readonly<Record<string, unknown>> {
  if (!isJsonObject(value)) {
    throw invalid(`The ${where} must be an object.`);
  }
  if (known !== undefined) {
    refuseUnknownKeys(value, known, `The ${where}`);
  }
  return value;
}

const invalid = (message: string): ConfigurationError =>
  new ConfigurationError(message, { code: "invalid-definition" });

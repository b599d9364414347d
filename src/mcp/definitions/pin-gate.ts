import { ToolError } from "../../base/tool-error.ts";
import type { PinMode, ServerPins } from "../../tool/tool-pins.ts";
import { visibleLine } from "../text/visible-text.ts";
import { comparePins } from "./compare-pins.ts";
import type { McpToolDefinition } from "./tool-definition.ts";

/** What a gate is made of. */
export interface PinGateOptions {
  readonly mode: Exclude<PinMode, "off">;
  /** The pins of the server; absent where it has none, and then every tool is new. */
  readonly pins: ServerPins | undefined;
  /** Whether the application wants to have the tool; of others nothing is told. */
  isWanted(tool: string): boolean;
  notice(code: string, message: string): void;
}

/**
 * Keeps tools that are not what was pinned from a model, or tells of them. Each listing of the server's
 * goes through it, also those in the middle of a run.
 */
export class PinGate {
  readonly #options: PinGateOptions;
  readonly #told = new Set<string>();
  #refused: ReadonlyMap<string, string> = new Map();
  #checked: readonly McpToolDefinition[] | undefined;

  constructor(options: PinGateOptions) {
    this.#options = options;
  }

  /** Compares a listing with the pins, and tells what it has not told before. */
  check(definitions: readonly McpToolDefinition[]): void {
    if (this.#checked === definitions) {
      return;
    }
    this.#checked = definitions;
    const { pins, isWanted } = this.#options;
    const comparison = comparePins(definitions, pins);
    const added = comparison.added.filter(isWanted);
    const changed = comparison.changed.filter(({ name }) => isWanted(name));
    const removed = comparison.removed.filter(isWanted);
    this.#refused = new Map([
      ...comparison.added.map((name) => [name, "it is not pinned"] as const),
      ...comparison.changed.map(
        ({ name }) => [name, "its definition is not the one that was pinned"] as const,
      ),
    ]);
    if (added.length > 0) {
      this.#tell("mcp-pin-new", `${listed(added)} not pinned${this.#outcome(added.length)}`);
    }
    for (const { name, changes } of changed) {
      const lines = changes.map((line) => `\n  ${line}`).join("");
      this.#tell(
        "mcp-pin-changed",
        `The definition of the tool "${visibleLine(name, 64)}" is not the one that was pinned${this.#outcome(1)}${lines}`,
      );
    }
    if (removed.length > 0) {
      this.#tell("mcp-pin-removed", `${listed(removed)} pinned, and no longer published.`);
    }
  }

  /** Whether the model may have the tool, by the last listing. */
  admits(tool: string): boolean {
    return this.#options.mode === "warn" || !this.#refused.has(tool);
  }

  /** Checks a listing, and refuses the call of a tool that the model may not have. @throws ToolError */
  guard(tool: string, definitions: readonly McpToolDefinition[]): void {
    this.check(definitions);
    if (!this.admits(tool)) {
      const why = this.#refused.get(tool) ?? "";
      throw new ToolError(
        `The tool "${visibleLine(tool, 64)}" is not called: ${why}. A person has to look at it first.`,
      );
    }
  }

  #outcome(count: number): string {
    const [they, them] = count === 1 ? ["it is", "it"] : ["they are", "them"];
    const what =
      this.#options.mode === "enforce"
        ? `, so ${they} left out`
        : `; the model has ${them} all the same`;
    return `${what}. Look at ${them} with dragoman mcp inspect, and pin ${them} with dragoman mcp pin.`;
  }

  #tell(code: string, message: string): void {
    if (!this.#told.has(message)) {
      this.#told.add(message);
      this.#options.notice(code, message);
    }
  }
}

const mostNames = 20;

/** `The tool "a" is`, `The tools "a", "b" and 3 more are`. */
function listed(names: readonly string[]): string {
  const shown = names.slice(0, mostNames).map((name) => `"${visibleLine(name, 64)}"`);
  const rest = names.length > mostNames ? ` and ${names.length - mostNames} more` : "";
  return names.length === 1
    ? `The tool ${shown[0]} is`
    : `The tools ${shown.join(", ")}${rest} are`;
}

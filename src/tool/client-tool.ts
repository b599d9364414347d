import { ConfigurationError } from "../base/dragoman-error.ts";
import type { JsonSchema } from "../base/json-schema.ts";
import { defineTool } from "./define-tool.ts";
import type { Tool, ToolChanges } from "./tool.ts";

/** What is known of a tool that is executed elsewhere. */
export interface ClientToolSpecification {
  /** 1 to 64 characters of `A-Z a-z 0-9 _ -`. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of type object. Absent: the tool takes no arguments. */
  readonly parameters?: JsonSchema;
}

/**
 * A tool that the client of a run executes: a front end, say. A call to it is checked like any other;
 * then the run waits, with a `Waiting` of the kind `client-tool`, until it is resumed with the answer.
 *
 * @throws ConfigurationError where the name is not valid, or the schema cannot be shown to a model.
 */
export function defineClientTool(specification: ClientToolSpecification): Tool {
  return new ClientTool(specification);
}

/** Whether calls of the tool are executed by the client. */
export const isClientTool = (tool: Tool): boolean => tool instanceof ClientTool;

class ClientTool implements Tool {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly inputSchema: Tool["inputSchema"];
  readonly parameters: JsonSchema;
  /** What the answer is was decided elsewhere: asking for it again does no harm. */
  readonly idempotent = true;
  readonly nested = false;
  readonly #inner: Tool;

  constructor({ name, description, parameters }: ClientToolSpecification, inner?: Tool) {
    const schema = parameters === undefined ? {} : { inputSchema: parameters };
    const execute = (): never => {
      const message = `Tool "${name}" is the client's: only a run that can wait may call it.`;
      throw new ConfigurationError(message, { code: "invalid-definition" });
    };
    this.#inner = inner ?? defineTool({ name, description, ...schema, execute });
    this.name = this.#inner.name;
    this.title = this.#inner.title;
    this.description = this.#inner.description;
    this.inputSchema = this.#inner.inputSchema;
    this.parameters = this.#inner.parameters;
  }

  execute(...call: Parameters<Tool["execute"]>): Promise<unknown> {
    return this.#inner.execute(...call);
  }

  with(changes: ToolChanges): Tool {
    return new ClientTool(this, this.#inner.with(changes));
  }
}

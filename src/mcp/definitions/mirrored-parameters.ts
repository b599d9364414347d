import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { type HeaderParameter, headerParametersOf, parameterHeaders } from "./parameter-headers.ts";
import type { McpToolDefinition } from "./tool-definition.ts";

/** Which parameters of a server's tools go into headers, by what it last published. */
export class MirroredParameters {
  readonly #byTool = new Map<string, readonly HeaderParameter[]>();

  /** Forgets what was known, and takes it from these definitions. */
  learn(definitions: readonly McpToolDefinition[]): void {
    this.#byTool.clear();
    for (const { sourceName, raw } of definitions) {
      const { inputSchema } = raw;
      const found = isJsonObject(inputSchema) ? headerParametersOf(inputSchema) : undefined;
      if (found?.kind === "valid" && found.parameters.length > 0) {
        this.#byTool.set(sourceName, found.parameters);
      }
    }
  }

  /** The headers of a call of this tool. */
  headersOf(tool: string, input: JsonObject): Readonly<Record<string, string>> | undefined {
    const parameters = this.#byTool.get(tool);
    return parameters && parameterHeaders(parameters, input);
  }
}

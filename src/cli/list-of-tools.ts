import { didYouMean } from "../base/closest-name.ts";
import type { McpClient } from "../mcp/client/mcp-client.ts";
import type { McpToolDefinition } from "../mcp/definitions/tool-definition.ts";
import { CliError } from "./cli-error.ts";
import { terminalLine } from "./terminal-text.ts";

/** The tools of a server, and what was said of them on the way. */
export interface ListOfTools {
  readonly tools: readonly McpToolDefinition[];
  readonly notices: readonly ToolNotice[];
  /** @throws CliError where there is none; it says which there are */
  named(tool: string): McpToolDefinition;
}

/** What was left out or changed. */
export interface ToolNotice {
  readonly code: string;
  readonly message: string;
  /** The tool that it is about, if it is about one. */
  readonly tool?: string | undefined;
}

/** Lists the tools of a connected server. @throws McpError, or the signal's reason */
export async function listOfTools(client: McpClient, signal: AbortSignal): Promise<ListOfTools> {
  const notices: ToolNotice[] = [];
  const notice = (code: string, message: string, tool?: string): void =>
    void notices.push({ code, message, tool });
  const tools = await client.listTools({ signal, notice });
  return {
    tools,
    notices,
    named(tool) {
      const found = tools.find(({ sourceName }) => sourceName === tool);
      if (found === undefined) {
        const names = tools.map(({ sourceName }) => sourceName);
        const left = notices.find((one) => one.tool === tool);
        throw new CliError(
          `The server "${client.name}" has no usable tool ${JSON.stringify(tool)}.${left === undefined ? didYouMean(tool, names) : ` ${left.message}`} ${offer(names)}`,
          { code: "unknown-tool" },
        );
      }
      return found;
    },
  };
}

function offer(names: readonly string[]): string {
  const shown = names.slice(0, 20).map((name) => terminalLine(name, 64));
  const rest = names.length > shown.length ? `, and ${names.length - shown.length} more` : "";
  return shown.length === 0 ? "It publishes none." : `It publishes ${shown.join(", ")}${rest}.`;
}

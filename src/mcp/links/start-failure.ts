import { existsSync } from "node:fs";
import { messageOf } from "../../base/dragoman-error.ts";
import { isJsonObject } from "../../base/json.ts";
import type { StdioTransport } from "../../tool/mcp-server-config.ts";

/** Why a program could not be started, in words that say what to do. */
export function startFailure(error: unknown, { command, cwd, env }: StdioTransport): string {
  if (cwd !== undefined && !existsSync(cwd)) {
    return `its folder ${JSON.stringify(cwd)} does not exist`;
  }
  const code = isJsonObject(error) ? error["code"] : undefined;
  switch (code) {
    case "ENOENT": {
      const path = env?.["PATH"] === undefined ? "the PATH" : "the PATH that its env sets";
      return /[\\/]/.test(command)
        ? "there is no such program, or the interpreter that it names is missing"
        : `the command was not found in ${path}. Install it, or give its full path`;
    }
    case "EACCES":
      return "the file may not be executed. Make it executable, or start it through its interpreter";
    default:
      return messageOf(error);
  }
}

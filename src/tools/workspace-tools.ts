import { refuseUnknownKeys } from "../base/check-object.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import type { ProcessRunner } from "../process/process-runner.ts";
import type { Tool } from "../tool/tool.ts";
import { editFileTool } from "./edit-file.ts";
import { listFilesTool } from "./list-files.ts";
import { readFileTool } from "./read-file.ts";
import { runCommandTool } from "./run-command.ts";
import { searchFilesTool } from "./search-files.ts";
import { Workspace } from "./workspace.ts";
import { writeFileTool } from "./write-file.ts";

/** What tools over a workspace may do beyond files. */
export interface WorkspaceToolsOptions {
  /** Runs the commands of `run_command`: a sandbox, or `unsandboxedRunner()`. Absent: no such tool. */
  readonly sandbox?: ProcessRunner;
  /** What a command is given to. Default `["/bin/sh", "-c"]`. */
  readonly shell?: readonly [program: string, ...args: string[]];
}

/**
 * The tools of a workspace: `read_file`, `list_files`, `search_files`; `write_file` and `edit_file` where
 * a root is writable; `run_command` where there is something to run commands with. Approval policies
 * tell those that change nothing (`readOnly`) from the others (`destructive`).
 *
 * @throws ConfigurationError `invalid-definition` for something else than a workspace or a runner.
 */
export function workspaceTools(
  workspace: Workspace,
  options: WorkspaceToolsOptions = {},
): readonly Tool[] {
  refuseUnknownKeys(options, ["sandbox", "shell"], "workspaceTools(…)", { runner: "sandbox" });
  const { sandbox, shell = ["/bin/sh", "-c"] } = options;
  if (!(workspace instanceof Workspace)) {
    throw invalid("workspaceTools(…) takes a workspace, as createWorkspace gives it.");
  }
  if (sandbox !== undefined && typeof sandbox.run !== "function") {
    throw invalid(
      "The sandbox of workspaceTools(…) must be what createSandbox gives, once it is awaited.",
    );
  }
  const isWritable = workspace.roots.some((root) => root.writable);
  return [
    readFileTool(workspace),
    listFilesTool(workspace),
    searchFilesTool(workspace),
    ...(isWritable ? [writeFileTool(workspace), editFileTool(workspace)] : []),
    ...(sandbox === undefined ? [] : [runCommandTool(workspace, { runner: sandbox, shell })]),
  ];
}

const invalid = (message: string): ConfigurationError =>
  new ConfigurationError(message, { code: "invalid-definition" });

/** What the tool is called that searches tools which are not shown. */
export const findToolsName = "find_tools";

/** What the tool is called that reads artifacts. */
export const readArtifactName = "read_artifact";

/**
 * Names of the tools that a run gets from Dragoman itself. The application may have a tool of such a
 * name in their place; a server's has another name in the run, so that it gets none of their calls.
 */
export const ownToolNames: readonly string[] = [findToolsName, readArtifactName];

import type { JsonObject } from "../base/json.ts";
import { McpClient } from "../mcp/client/mcp-client.ts";
import type { CliStreams } from "./cli-streams.ts";
import type { McpOptions } from "./mcp-group.ts";
import type { ServerTarget } from "./mcp-targets.ts";
import { TokenFile } from "./token-file.ts";
import { withLogin } from "./with-login.ts";

/** How a command uses a server. */
export interface ServerUse {
  readonly options: McpOptions;
  readonly streams: CliStreams;
  /** Hears what the server tells of its own accord. */
  readonly onNotification?: (method: string, params: JsonObject) => void;
}

/** Connects to a server, lets it be used, and lets go of it whatever happens. @throws McpError */
export async function useServer<Value>(
  { config }: ServerTarget,
  { options, streams, onNotification }: ServerUse,
  use: (client: McpClient, connectedAfterMs: number) => Promise<Value>,
): Promise<Value> {
  const { timeoutMs = config.timeoutMs } = options;
  await using client = new McpClient(
    {
      ...withLogin(config, new TokenFile(streams.env)),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    },
    onNotification === undefined ? {} : { onNotification },
  );
  const start = performance.now();
  await client.connect({ signal: streams.signal });
  return await use(client, Math.round(performance.now() - start));
}

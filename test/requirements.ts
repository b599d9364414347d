/**
 * Every behaviour that the sources promise, by its id; tests cite the ids. L: HTTP tools, models and MCP
 * of agents; R: robots and networks; G: toolsets, AG-UI, tracing; P: in passing.
 */
export const requirements: Readonly<Record<string, string>> = {
  "L-H1":
    "A tool gets an HTTP client with a base URL that must be a valid http or https URL; anything else is a 'ToolError'.",
  "L-H2":
    "Default headers go with every request; a request's own headers are merged and override them.",
  "L-H3":
    "A default 'User-Agent' naming product, version and HTTP library, unless the caller sets one.",
  "L-H4": "Persistent connections by default; can be switched off.",
  "L-H5":
    "Timeouts: connect 5 s, read 15 s, write 15 s by default; settable for the client and for one request.",
  "L-H6": "TLS peer verification on by default; settable. Proxy URL settable.",
  "L-H7":
    "Instrumentation is pluggable; the default is quiet: only errors are logged, no request or response content.",
  "L-H8":
    "GET, HEAD, POST, PUT, DELETE with 'query', 'headers', per-request 'options'; POST and PUT with 'body'.",
  "L-H9": "A relative path, with or without leading slash, joins the base URL.",
  "L-H10":
    "An absolute URL is used as it is, through a temporary client with the same connection options.",
  "L-H11": "Query parameters are appended to the URL.",
  "L-H12":
    "An object body becomes JSON with content type 'application/json; charset=utf-8', unless the request sets a content type; a string body is sent as it is.",
  "L-H13": "Success gives a response with status, body text and headers. HEAD gives headers only.",
  "L-H14":
    "4xx and 5xx raise 'ToolHttpError', which carries the response (status, body); also on HEAD, so that a status checker can read it.",
  "L-H15":
    "Timeouts raise 'ToolTimeoutError'; socket and network trouble 'ToolNetworkError'; TLS certificate trouble 'ToolCertificateError'.",
  "L-H16":
    "Everything else of the client (JSON that cannot be encoded, invalid base URL, other library errors) is 'ToolError'; the four above are kinds of it.",
  "L-H17": "The library's original error is kept as 'cause'.",
  "L-H18":
    "The client knows nothing of authentication state; credentials are put into headers by the tool, from configuration, session state or credential management. Bearer and API-key headers are shown.",
  "L-H19":
    "A tool returns a success result or an error result with a message; or throws a 'ToolError' kind, which the runtime turns into the standard error event.",
  "L-H20": "A built-in tool fetches a random cat fact through this client and lets errors rise.",
  "L-M1":
    "An adapter is any object with availability, model name (none when unavailable) and 'generate(prompt, json)' to text (none when unavailable).",
  "L-M2":
    "The planner asks for JSON and parses a plan out of whatever text comes back, fenced or wrapped in prose.",
  "L-M3":
    "An adapter may say that it supports structured output and then takes a schema, which guarantees valid plan JSON.",
  "L-M4":
    "Gemini is the default, used when nothing else is configured; key from 'GOOGLE_API_KEY', else 'GEMINI_API_KEY'; model id settable; uses 'responseSchema' for plans.",
  "L-M5":
    "Ollama adapter: local HTTP, no key; host by option or 'OLLAMA_HOST', default 'http://localhost:11434'; read timeout settable; asks for JSON-constrained output ('format: \"json\"') when the planner wants a plan.",
  "L-M6":
    "One factory set at start chooses the provider for every agent; it gets model, API key and logger; unset means Gemini. An agent's own model name is passed to it.",
  "L-M7":
    "A planner made by hand can be given an adapter, which takes precedence over the factory.",
  "L-M8": "A custom adapter needs only the three methods; a mock for tests is one.",
  "L-M9":
    "Optional native tool calling: adapter says so and implements a call that gets the tools (name, description, JSON Schema parameters) and answers 'tool' (name, arguments, thought) or 'final' (text, thought). Default: not supported.",
  "L-M10":
    "Agentic agents use native tool calling where supported (Gemini does), else a prompted JSON action parsed from text; the multi-step planner always uses 'generate'.",
  "L-M11":
    "ReAct agents pick the next action one step at a time; planned agents execute a multi-step plan. Both modes exist.",
  "L-C1":
    "Servers are declared on the agent's definition, one or several, as a list or as separate arguments.",
  "L-C2":
    "Types 'stdio' (command, args) and 'sse' (base URL; events at '/sse', messages at '/messages', an optional bearer token). Type given as either of the language's string forms.",
  "L-C3": "The agent starts native tools and MCP tools side by side; the planner sees both.",
  "L-C4":
    "MCP tools are chosen by exact name with the same declaration as native tools; only chosen ones are registered and visible.",
  "L-C5":
    "When none of the chosen names matches, the connection and handshake still happen and nothing is registered from that server.",
  "L-C6":
    "Start: connect, handshake, 'tools/list', and for each chosen tool a proxy tool made from its schema (JSON Schema turned into our parameter form), registered with that agent only.",
  "L-C7":
    "Execution: arguments turned into the server's JSON, 'tools/call' sent, the answer mapped into our result form.",
  "L-C8": "Stop: every client is disconnected, stdio processes ended, streams closed.",
  "L-C9":
    "A server that fails to connect (command not found, unreachable, handshake fails) is logged; it and its tools are unavailable; the agent starts with the rest.",
  "L-C10":
    "Communication trouble (connection, protocol, invalid JSON-RPC, timeout) becomes an error result that names its kind.",
  "L-C11":
    "An error reported by the remote tool becomes an error result with the original message, code and data.",
  "L-C12":
    "In a plan, a failing step halts it and the final answer is that error, as with native tools.",
  "L-C13": "'availableTools' metadata of an agent lists names of native and registered MCP tools.",
  "L-C14":
    "A run takes a session id, the user's input and a session service, and ends with a final event whose content is the answer; an in-memory session service creates sessions for app and user.",
  "L-C15":
    "Security is documented: MCP configurations are trusted input (stdio runs commands, URLs are not SSRF-restricted); who may supply definitions is the boundary; the web UI is not for untrusted networks; HTTPS and tokens for production.",
  "L-C16": "A native tool can be registered globally and then chosen by name.",
  R1: "Transports: 'stdio'; 'ws'/'websocket'; 'sse'; 'streamable-http'/'http'.",
  R2: "A server's configuration has a unique 'name' (required), a nested 'transport' with 'type' (required), 'timeout' (default 15 s), 'description' (scored by discovery).",
  R3: "Invalid type, missing command or URL raise at construction of the server or the direct client, and the message lists the valid types.",
  R4: "The same faults reached through an agent do not raise: logged as a warning with agent, server and reason, and the server stands in the agent's failed servers; the agent still works, without that server's tools. A flat 'transport' string is such a fault.",
  R5: "Our difference: unknown keys in a server's configuration are a configuration error (the source discards them silently).",
  R6: "The direct client: connect, connected?, list tools, call tool by name with arguments, disconnect. A connect that does not raise but leaves 'connected' false is available.",
  R7: "A request without an active connection is an MCP error; so are protocol and I/O failures of transports.",
  R8: "'mcp' and 'tools' take 'none', 'inherit' or an explicit list, at build time and at run time.",
  R9: "Strict opt-in is available: a bare run connects nothing and sends no tools; 'tools: inherit' sends local tools; 'mcp: inherit' connects; discovered tools reach the model only with both.",
  R10: "Resolution is recomputed on every run: the parent is the network's value, else its enclosing network's, else the global one; the build-time value is resolved against the parent, then the run-time value against that.",
  R11: "For an agent alone the parent is the global default 'none', so a build-time 'inherit' resolves to nothing; an explicit list at build time with 'inherit' at run time works.",
  R12: "In a network whose configuration sets 'mcp' or 'tools', build-time 'inherit' takes the network's list; the task must opt in as well.",
  R13: "Only 'mcp' and 'tools' are inherited from a network; model settings and callbacks are not.",
  R14: "Eager connection is possible ('connectMcp'), and does not by itself send tools with a later bare run.",
  R15: "Connection failures are recorded by server name and do not raise.",
  R16: "Server discovery, when switched on, scores each server's name + description against the message by term-frequency cosine similarity and connects only those at or above 0.05: of a file server and a package-manager server, a message about installing a package connects only the latter.",
  R17: "Discovery falls back to the full list when no server has a description, the query is blank, nothing reaches the threshold, or the scorer is unavailable.",
  R18: "Many stdio connections are served without a thread or a busy loop each.",
  R19: "A network is made of named tasks, each with an agent and its own 'mcp'/'tools' values.",
  "G-T1":
    "A toolset connects to one server, turns its published operations into tools, and stands among an agent's tools like a local one.",
  "G-T2":
    "Connection: 'url' required; 'headers', 'timeout', 'signer', 'allowInsecureHttp', 'maxResponseBytes'.",
  "G-T3":
    "A connection may be a function of the binding (the current run, its actor), evaluated before the session opens, so that each run uses its caller's credentials.",
  "G-T4": "Without mapping, every published operation is available under its normalised name.",
  "G-T5":
    "'mapTool' gets tool, definition, binding: configure or rename and return it, or nothing to omit it. Renaming never changes the source name sent to the server.",
  "G-T6": "One local client and transport for the toolset during an agent run.",
  "G-T7":
    "Session termination is the caller's choice (the source never sends it; we can, by default where sessions exist).",
  "G-T8":
    "Results: structured content as data when present, else the text; images become artifacts.",
  "G-T9":
    "'mapResult' gets the complete result, the call and the binding; any value or a tool result may be returned; returning it unchanged keeps the default.",
  "G-T10":
    "A tool result can carry artifacts; a deferred artifact has a reference and media type and is resolved later by the application, who checks owner, service and size.",
  "G-T11":
    "MCP images and local tools' artifacts follow the same storage and presentation rules when artifacts are configured; images and documents go to the model as content, the stored reference is a fallback, not a second copy.",
  "G-T12": "Results are checked against the server's output schema, JSON Schema 2020-12.",
  "G-T13":
    "An optional toolset turns expected provider and protocol failures of discovery into no tools; 'onError' sees only those.",
  "G-T14":
    "Cancellation, deadlines, configuration errors and the application's callback failures propagate even when optional.",
  "G-T15":
    "Limits: number and total size of discovered operations, complexity of schemas, size and number of images, size of each HTTP response.",
  "G-T16": "HTTPS required unless local HTTP is explicitly enabled.",
  "G-T17":
    "Documented: descriptions and results are untrusted; expose only what is needed; narrow credentials; servers authorise.",
  "G-T18": "Client behaviour of MCP 2025-06-18 (we: and all other revisions).",
  "G-T19":
    "Transport and client are usable directly, with a custom transport, and give the same tools and mapping callbacks.",
  "G-A1": "An adapter turns a run's stream into AG-UI events for a thread id and run id.",
  "G-A2":
    "It covers text, reasoning, tool activity, usage, retries, trace context, subagent activity and terminal outcomes.",
  "G-A3":
    "It is stateless between calls; connection, backpressure and disconnects are the application's.",
  "G-A4": "Namespaced custom events for what the protocol lacks; consumers may ignore them.",
  "G-A5":
    "It is lazy: enumerating drives the run; stopping enumeration lets the application cancel.",
  "G-A6":
    "Fields can be filtered before sending or storing. Documented: a run stream may hold private content.",
  "G-A7": "An ask and a stream take actor id and context of the authenticated caller.",
  "G-O1":
    "The application configures SDK and exporter and registers our subscriber before the first call; we depend on the API package only.",
  "G-O2":
    "Spans and events for runs, agents, model calls, tools, assemblies, sessions, usage and failures.",
  "G-O3": "Active operations propagate W3C 'traceparent' and 'tracestate'.",
  "G-O4":
    "Prompts, messages, responses, tool arguments and exception content are omitted by default; capture needs a scrubber.",
  "G-O5":
    "GenAI semantic conventions where they apply. No raw user, order, session or request ids in attributes.",
  "G-O6": "Flush and shutdown exist for application shutdown.",
  P1: "Web UI bundled, for developers (chat, agents, tools, runs), not for untrusted networks.",
  P2: "Outbound webhook tool with an SSRF guard; inbound webhooks with signature check.",
  P3: "Credential management reachable from a tool's context.",
  P4: "Schema conversion documented.",
  P5: "Sessions stored beyond memory.",
  P6: "Subagents and assemblies, workflows, handoffs; retries, deadlines, cancellation of runs.",
  P7: "Artifact stores.",
  P8: "Templates for system prompts (a function or a file with values).",
  P9: "Tools that need files or child processes can be given a workspace and a sandboxed process runner (bubblewrap where present; refused, not faked, where absent).",
  P10: "Agents exposed as MCP servers.",
  P11: "Structured output of agents.",
};

/** Not finished yet. An id leaves this list when a test cites it; none may come back. */
export const openRequirements: readonly string[] = [];

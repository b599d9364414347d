/** What to do about an error, by its code; `undefined` where its message says all there is. */
export function adviceFor(code: string): string | undefined {
  return Object.hasOwn(advice, code) ? advice[code] : undefined;
}

const advice: Readonly<Record<string, string>> = {
  "model-unauthorized":
    "The provider refused the key. Check the variable that holds it where the server was started.",
  "model-refused":
    "The provider refused the request itself. Check the model's name and its limits.",
  "model-rate-limited": "Wait a little and try again, or use a model with a larger quota.",
  "model-unavailable": "The provider has trouble. Try again, or give the agent fallbackModels.",
  "model-unreachable": "Nothing answered. Check the network, the proxy and the provider's address.",
  "model-timeout": "Try again, or give the run more time.",
  "model-invalid-response":
    "The provider answered with something that is not its protocol. Is the address right?",
  "deadline-exceeded": "The run took longer than it may. Raise timeoutMs, or ask for less.",
  "server-unavailable":
    "A server that must be there is not. See its state under Agents; dragoman mcp doctor says why.",
  "hook-failed": "A hook or an approval rule of the application threw. The message is its own.",
  "invalid-output":
    "The model did not give the typed answer. A stronger model, or a simpler schema, may.",
  "limit-reached": "Raise the agent's limits, or ask for less.",
  "run-conflict": "The run is being executed already, here or elsewhere.",
  "run-finished": "Begin a new one.",
  "decision-refused": "Somebody was faster. Load the page again to see what was decided.",
  "interrupts-open": "Answer what the run waits for first; load the page again to see it.",
  "interrupt-unknown": "Somebody was faster. Load the page again to see what was decided.",
  "interrupt-expired": "The time to answer is over.",
  "connection-lost": "Load the page again: where the server keeps the run, it is shown from there.",
  unreachable: "Start it with npx dragoman serve, or see what it printed last.",
  "internal-error": "The run itself, or the server's log, may say more.",
  "too-many-requests": "Wait a little; the server takes so many requests of one caller a minute.",
  "store-unavailable": "The store of runs or sessions cannot be reached.",
};

import { isLoopbackHost } from "../../base/loopback-host.ts";
import type { ModelErrorCode } from "../../model/model-error.ts";
import { environment } from "./environment.ts";

/** What to do about a failure, in whole sentences, by its code. */
export type ProviderAdvice = Partial<Readonly<Record<ModelErrorCode, string>>>;

/** What is known of the place that requests go to. */
export interface ProviderPlace {
  readonly base: URL;
  /** The option that the URL is given in. */
  readonly urlOption: string;
  /** Whether requests go through a proxy. */
  readonly hasProxy: boolean;
  /** What this provider's own tools would do; it counts for more than what holds for all. */
  readonly own?: ProviderAdvice | undefined;
}

/** What to do about the failures of a model, as its host has it. */
export function adviceFor(place: ProviderPlace): ProviderAdvice {
  const { base, urlOption, own } = place;
  return {
    "model-unauthorized": adviceOnKey(base),
    "model-not-found": `Check the name of the model and the ${urlOption}.`,
    "model-unreachable": adviceOnWay(place),
    ...own,
  };
}

/** What the environment calls a provider's key, and where its keys are made; by host. */
const keysByHost: Readonly<Record<string, readonly [variable: string, page: string]>> = {
  "generativelanguage.googleapis.com": [
    "GOOGLE_API_KEY, else GEMINI_API_KEY,",
    "https://aistudio.google.com/apikey",
  ],
  "api.openai.com": ["OPENAI_API_KEY", "https://platform.openai.com/api-keys"],
  "api.anthropic.com": ["ANTHROPIC_API_KEY", "https://console.anthropic.com/settings/keys"],
  "openrouter.ai": ["OPENROUTER_API_KEY", "https://openrouter.ai/settings/keys"],
};

function adviceOnKey({ hostname }: URL): string {
  const [variable, page] = (Object.hasOwn(keysByHost, hostname) && keysByHost[hostname]) || [];
  return variable === undefined
    ? "Check the API key, and that it may use this model."
    : `Check the API key (the option apiKey, else ${variable} of the environment), and that it may use this model; keys are made at ${page}.`;
}

function adviceOnWay({ base, urlOption, hasProxy }: ProviderPlace): string {
  if (isLoopbackHost(base.hostname)) {
    return `Start the server that is to be there, and check the ${urlOption}.`;
  }
  const variables = base.protocol === "https:" ? ["HTTPS_PROXY", "ALL_PROXY"] : ["HTTP_PROXY"];
  const set = variables
    .flatMap((name) => [name, name.toLowerCase()])
    .find((name) => environment()[name]);
  return hasProxy || set === undefined
    ? `Check the network and the ${urlOption}.`
    : `Check the network and the ${urlOption}. ${set} is set, but only the model's own option "proxy" is gone by.`;
}

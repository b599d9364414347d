import type { ChosenModel } from "./agent/agent-runtime.ts";
import type { Clock } from "./base/clock.ts";
import type { Logger } from "./base/logger.ts";
import type { Model } from "./model/model.ts";
import { type TextAdapter, toModel } from "./model/text-adapter.ts";
import { type Environment, keyFor, modelOfId } from "./provider-ids.ts";

/** What a {@link ModelFactory} is told. */
export interface ModelFactoryOptions {
  /** The id that the run, its agent or the configuration names; `undefined` where none does. */
  readonly model: string | undefined;
  /** The environment's key of the provider that the id names, by default Gemini's. */
  readonly apiKey: string | undefined;
  readonly logger: Logger;
}

/**
 * Makes the model of every run whose model is named by an id or not at all. A `Model` or adapter that
 * a run, planner, agent or configuration gives goes before it. With `undefined` it leaves the choice to
 * what would be chosen without it. Asked for each run.
 */
export type ModelFactory = (
  options: ModelFactoryOptions,
) => Model | TextAdapter | undefined | Promise<Model | TextAdapter | undefined>;

/** What the choice of a model depends on. */
export interface ModelChooserOptions {
  /** The configured default. */
  readonly model: string | Model | TextAdapter | undefined;
  /** The configured factory. */
  readonly models: ModelFactory | undefined;
  readonly env: Environment;
  readonly logger: Logger;
  readonly clock: Clock;
  /** What was told already, so that it is told once. */
  readonly told: Set<string>;
}

const defaultGemini = "gemini:gemini-3.5-flash";

/** How long what an Ollama server has told holds, in milliseconds. */
const ollamaVerdictMs = 30_000;

/**
 * Makes the function that finds a run's model. A configured model that is no id is taken; else the
 * configured factory is asked; else it is the one that the id names; else Gemini where
 * `GOOGLE_API_KEY` or `GEMINI_API_KEY` is set; else the newest model of the Ollama server, where one
 * answers; else the offline model. A choice that nobody made is told by a notice of each run; that it is
 * no language model is a warning, too, once, for those who do not look at the events of their runs.
 */
export function createModelChooser(
  options: ModelChooserOptions,
): (wanted: string | undefined) => Promise<ChosenModel> {
  const { env, models, logger, told } = options;
  const remembered = createMemory(options.clock, ollamaVerdictMs);
  const named = (id: string): Promise<ChosenModel> =>
    id.startsWith("ollama:") ? remembered(id, () => modelOfId(id, env)) : modelOfId(id, env);
  const installed = (): Promise<string | undefined> =>
    remembered("installed", async () => {
      // Where there is no node:http, as in a browser, there is no Ollama to be asked either.
      const probe = await import("./models/ollama/ollama-probe.ts").catch(() => undefined);
      return probe?.newestOllamaModel(env["OLLAMA_HOST"]);
    });
  return async (wanted) => {
    const chosen = wanted ?? options.model;
    if (typeof chosen === "object") {
      return { model: toModel(chosen) };
    }
    const apiKey = keyFor(chosen ?? defaultGemini, env);
    const made = await Promise.resolve(models?.({ model: chosen, apiKey, logger }));
    if (made !== undefined) {
      return { model: toModel(made) };
    }
    if (chosen !== undefined) {
      return named(chosen);
    }
    const found = await chooseDefault(env, named, installed);
    if (found.model.id === "offline" && !told.has("offline")) {
      told.add("offline");
      logger.warn(offlineWarning);
    }
    return found;
  };
}

const offlineWarning =
  'No model was chosen, so the offline model is used: it matches words to tools and does not think. Name a model (model: "openai:gpt-5" of the agent or of configure), set GEMINI_API_KEY, or run Ollama. With model: "offline" this is not said.';

async function chooseDefault(
  env: Environment,
  named: (id: string) => Promise<ChosenModel>,
  installed: () => Promise<string | undefined>,
): Promise<ChosenModel> {
  const key = ["GOOGLE_API_KEY", "GEMINI_API_KEY"].find((name) => env[name]);
  if (key !== undefined) {
    const { model } = await named(defaultGemini);
    return noticed(model, `Using ${model.id}, since ${key} is set and no model was chosen.`);
  }
  const newest = await installed();
  if (newest === undefined) {
    return named("offline");
  }
  const { model } = await named(`ollama:${newest}`);
  const host = env["OLLAMA_HOST"] || "http://localhost:11434";
  return noticed(model, `Using ${model.id}, since Ollama answers at ${host}.`);
}

const noticed = (model: Model, message: string): ChosenModel => ({
  model,
  notices: [{ code: "default-model", message }],
});

/** Keeps what a function gave for so long, by name. */
function createMemory(
  clock: Clock,
  keptMs: number,
): <Value>(name: string, make: () => Promise<Value>) => Promise<Value> {
  const kept = new Map<string, { readonly at: number; readonly value: Promise<unknown> }>();
  return <Value>(name: string, make: () => Promise<Value>): Promise<Value> => {
    const known = kept.get(name);
    if (known !== undefined && clock.now() - known.at <= keptMs) {
      return known.value as Promise<Value>; // each name has one maker
    }
    const value = make();
    kept.set(name, { at: clock.now(), value });
    return value;
  };
}

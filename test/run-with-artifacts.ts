import type { ArtifactSettings } from "../src/agent/artifact-settings.ts";
import type { RunArtifact } from "../src/agent/run-artifacts.ts";
import type { RunEvent } from "../src/agent/run-event.ts";
import type { ResultContent } from "../src/message/content.ts";
import type { ModelRequest } from "../src/model/model.ts";
import type { ScriptedModel } from "../src/testing/scripted-model.ts";
import type { Tool } from "../src/tool/tool.ts";
import { agentOf, collect, modelOf } from "./agent-fixture.ts";

/** What came of a run, as tests of artifacts look at it. */
export interface Outcome {
  readonly events: readonly RunEvent[];
  readonly artifacts: readonly RunArtifact[];
  readonly text: string;
  /** What the model was shown of the results, call by call. */
  readonly shown: readonly (readonly ResultContent[])[];
  readonly requests: readonly ModelRequest[];
}

/** Runs an agent that calls each of the tools once. */
export async function run(
  tools: readonly Tool[],
  {
    model = modelOf({ calls: tools.map(({ name }) => ({ name })) }, "done"),
    artifacts,
    actor,
    ...definition
  }: {
    readonly model?: ScriptedModel;
    readonly artifacts?: ArtifactSettings;
    readonly actor?: string;
    readonly maxResultCharacters?: number;
  } = {},
): Promise<Outcome> {
  const config = artifacts === undefined ? {} : { artifacts };
  const agent = agentOf({ model, tools, ...definition }, config);
  const running = agent.stream("Go", actor === undefined ? {} : { actor });
  const events = await collect(running);
  const result = await running.result;
  const shown = result.messages.flatMap((message) =>
    message.role === "tool" ? message.content.map(({ content }) => content) : [],
  );
  const { text } = result.orThrow();
  return { events, artifacts: result.artifacts, text, shown, requests: model.requests };
}

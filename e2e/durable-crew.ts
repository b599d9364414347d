import { appendFileSync } from "node:fs";
import type { Assembly } from "../src/agent/assembly.ts";
import { silentLogger } from "../src/base/logger.ts";
import { createDragoman } from "../src/configure.ts";
import { scriptedModel } from "../src/testing/scripted-model.ts";
import { type DurableAgentOptions, killItself } from "./durable-agent.ts";

/** Two agents one after the other, of which the second is killed in its model call where `model2` is said. */
export function durableCrew({ app = "crash", effects, killWithin }: DurableAgentOptions): Assembly {
  const dragoman = createDragoman({ app, logger: silentLogger, env: {} });
  const member = (name: string, answer: string) =>
    dragoman.defineAgent({
      name,
      model: scriptedModel([
        () => {
          appendFileSync(effects, `${name}\n`);
          if (name === "second" && killWithin === "model2") {
            killItself();
          }
          return answer;
        },
      ]),
    });
  return dragoman.defineSequence({
    name: "crew",
    members: [member("first", "Found."), member("second", "Written.")],
  });
}

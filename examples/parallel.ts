import { defineAgent, defineParallel } from "dragoman";
import { scriptedModel } from "dragoman/testing";

const reviewer = (name: string, says: string) =>
  defineAgent({ name, instructions: `Review the ${name}.`, model: scriptedModel([says]) });

const review = defineParallel({
  name: "review",
  members: [reviewer("style", "Fine."), reviewer("security", "A token is logged.")],
  concurrency: 2,
  onFailure: "collect", // "fail-fast" (the default) cancels the others
});

const result = (await review.ask("Review this change.")).orThrow();
console.log(result.text);
console.log(result.output["security"]);

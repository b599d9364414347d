import { defineAgent, defineWorkflow } from "dragoman";
import { scriptedModel } from "dragoman/testing";

const estimate = (name: string, says: string) =>
  defineAgent({ name, model: scriptedModel([says]) });
const [optimist, pessimist] = [estimate("optimist", "3"), estimate("pessimist", "9")];

const plan = defineWorkflow(
  async (context, input) => {
    const answers = await Promise.all([
      context.ask(optimist, input),
      context.ask(pessimist, input),
    ]);
    const days = answers.map(({ text }) => Number(text));
    // Whatever a resumed run must not do again is a step.
    const ticket = await context.step("open a ticket", () => "T-1");
    return { ticket, days: Math.max(...days) };
  },
  { name: "plan" },
);

const result = (await plan.ask("How long does the move take?")).orThrow();
console.log(result.output.ticket, result.output.days);

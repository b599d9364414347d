import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Artifact, createDragoman, defineTool, toolSuccess } from "dragoman";
import { fileArtifacts } from "dragoman/stores";
import { scriptedModel } from "dragoman/testing";

const salesReport = defineTool({
  name: "sales_report",
  description: "The sales of a month: a table, and the printed report.",
  execute: () =>
    toolSuccess("Sales of November.", {
      artifacts: [
        Artifact.inline({ data: "day,total\n1,99\n", mediaType: "text/csv", name: "sales.csv" }),
        Artifact.deferred({ reference: "reports/11", mediaType: "text/plain", name: "report.txt" }),
      ],
    }),
});

// Stands for a service that makes the printed reports, and knows whose they are.
const reports: Readonly<Record<string, { owner: string; text: string }>> = {
  "reports/11": { owner: "ann", text: "A good month." },
};

const folder = await mkdtemp(join(tmpdir(), "artifacts-"));
const store = fileArtifacts({ folder });
const dragoman = createDragoman({
  artifacts: {
    store,
    // Decides alone: is the reference known, is it this caller's, is it small enough?
    resolve: async ({ reference }, { binding, maxBytes }) => {
      const report = reports[reference];
      const isTheirs = report !== undefined && report.owner === binding.run.actor;
      return isTheirs && report.text.length <= maxBytes ? Buffer.from(report.text) : undefined;
    },
  },
});

const model = scriptedModel([{ calls: [{ name: "sales_report" }] }, "Here they are."]);
const clerk = dragoman.defineAgent({ name: "clerk", model, tools: [salesReport] });

const result = await clerk.ask("How was November?", { actor: "ann" });
for (const { id, name, mediaType, read } of result.artifacts) {
  console.log(id.slice(0, 7), name, mediaType, (await read()).length);
}

const kept = await store.list({ app: "default", actor: "ann", runId: result.runId });
console.log("kept for ann:", kept.artifacts.map(({ name }) => name).join(", "));

const told = result.messages.flatMap((message) => (message.role === "tool" ? message.content : []));
console.log("the model reads", told[0]?.content);

await rm(folder, { recursive: true });

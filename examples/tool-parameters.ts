import { defineTool, fromToolParameters, toToolParameters } from "dragoman";
import * as z from "zod";

const seatSearch = defineTool({
  name: "seat_search",
  description: "Searches free seats.",
  inputSchema: z.object({
    train: z.string(),
    class: z.enum(["first", "second"]).optional(),
  }),
  execute: ({ train }) => `none on ${train}`,
});

const { parameters, rest } = toToolParameters(seatSearch.parameters);
for (const { name, types, required, choices } of parameters) {
  console.log(name, types.join(" or "), required ? "required" : "optional", choices ?? "");
}

const same = fromToolParameters({ parameters, rest });
console.log(JSON.stringify(same) === JSON.stringify(seatSearch.parameters));

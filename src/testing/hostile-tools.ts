import type { HostileCase } from "./hostile-cases.ts";

/** A page of a list of tools. */
export interface HostilePage {
  readonly tools: unknown;
  readonly nextCursor?: string;
}

const object = { type: "object" };
const attack = { name: "attack", description: "Strikes.", inputSchema: object };
const echo = { name: "echo", description: "Answers with its arguments.", inputSchema: object };

const withSchemas = (schema: object): object => ({
  ...attack,
  inputSchema: { type: "object", properties: { text: schema } },
  outputSchema: { type: "object", properties: { text: schema } },
});

function deepSchema(): object {
  let schema: object = { type: "string" };
  for (let level = 0; level < 500; level += 1) {
    schema = { type: "object", properties: { inner: schema } };
  }
  return schema;
}

/** Each of 60 definitions applies the next one twice. */
function costlySchema(): object {
  const definitions = Array.from({ length: 61 }, (_unused, index) => {
    const $ref = `#/$defs/d${index + 1}`;
    return [`d${index}`, index === 60 ? {} : { allOf: [{ $ref }, { $ref }] }] as const;
  });
  return { $ref: "#/$defs/d0", $defs: Object.fromEntries(definitions) };
}

const malformed: readonly unknown[] = [
  { name: "bare" },
  { name: 7, inputSchema: object },
  { name: "list", inputSchema: { type: "array" } },
  null,
  "text",
];

/** The page of tools that each kind of server has under a cursor. */
export function hostilePage(kind: HostileCase, cursor: string): HostilePage {
  const tools = special[kind];
  return tools === undefined ? { tools: [attack, echo] } : tools(cursor);
}

const only = (...tools: readonly unknown[]): HostilePage => ({ tools: [...tools, echo] });

const special: { readonly [kind in HostileCase]?: (cursor: string) => HostilePage } = {
  "malformed-tool": () => only(attack, ...malformed),
  "duplicate-tools": () => only(attack, { ...attack, description: "Another." }),
  "endless-cursors": (cursor) => {
    const page = Number(cursor || 0);
    const tools = page === 0 ? [attack, echo] : [{ ...echo, name: `tool-${page}` }];
    return { tools, nextCursor: String(page + 1) };
  },
  "repeated-cursor": (cursor) => ({ ...only(attack), nextCursor: cursor === "a" ? "b" : "a" }),
  "ten-thousand-tools": (cursor) => {
    const page = Number(cursor || 0);
    const first = page === 0 ? [attack, echo] : [];
    const many = Array.from({ length: 100 - first.length }, (_unused, index) => ({
      ...echo,
      name: `tool-${page}-${index}`,
    }));
    return { tools: [...first, ...many], ...(page < 99 && { nextCursor: String(page + 1) }) };
  },
  "external-reference": () => only(withSchemas({ $ref: "https://hostile.invalid/schema.json" })),
  "reference-loop": () => {
    const inputSchema = { type: "object", allOf: [{ $ref: "#" }] };
    return only({ ...attack, inputSchema, outputSchema: { $ref: "#" } });
  },
  "deep-schema": () => only(attack, { ...attack, name: "deep", inputSchema: deepSchema() }),
  "costly-schema": () => {
    const costly = { type: "object", ...costlySchema() };
    return only({ ...attack, inputSchema: costly, outputSchema: costly });
  },
  "slow-pattern": () => only(withSchemas({ type: "string", pattern: "^(a+)+$" })),
  "output-mismatch": () => {
    const outputSchema = { type: "object", properties: { days: { type: "integer" } } };
    return only({ ...attack, outputSchema });
  },
};

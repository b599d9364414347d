import { expect, test } from "vitest";
import { isValidToolName, normalizeToolName, uniqueToolNames } from "./tool-names.ts";

test.each([
  ["read_file", "read_file"],
  ["get-sum", "get-sum"],
  ["a.b/c d", "a_b_c_d"],
  ["Internet Search (Tavily)", "Internet_Search_Tavily"],
  ["it's", "it_s"],
  ["café", "cafe"],
  ["2fa_enable", "tool_2fa_enable"],
  ["-x-", "x-"],
  ["３Dモデル", "tool_3D"],
])("%s becomes %s", (name, normal) => {
  expect(normalizeToolName(name)).toBe(normal);
});

test("names that say nothing readable, or too much, end in a digest and stay apart", () => {
  const digits = "7".repeat(64);
  const long = "update_project_deployment_protection_for_".repeat(3);
  const names = ["検索", "検査", "…", "", long, `${long}x`, digits].map(normalizeToolName);
  expect(new Set(names).size).toBe(names.length);
  expect(names.every((name) => /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name))).toBe(true);
  expect(normalizeToolName("検索")).toBe("tool_fea3073b");
});

interface Row {
  readonly requests: readonly (readonly [name: string, server?: string])[];
  readonly names: readonly (string | RegExp)[];
}

const rows: Readonly<Record<string, Row>> = {
  "a single name stands": { requests: [["search", "a"]], names: ["search"] },
  "all that collide are prefixed": {
    requests: [
      ["send", "a"],
      ["send", "b"],
      ["read", "b"],
    ],
    names: ["a_send", "b_send", "read"],
  },
  "a native tool keeps its name": {
    requests: [["send"], ["send", "b"]],
    names: ["send", "b_send"],
  },
  "case, - and _ do not tell names apart": {
    requests: [
      ["search-a", "x"],
      ["Search_A", "y"],
    ],
    names: ["x_search-a", "y_Search_A"],
  },
  "a name twice on one server gets digests": {
    requests: [
      ["go", "a"],
      ["go", "a"],
    ],
    names: [/^a_go_[0-9a-f]{8}$/, /^a_go_[0-9a-f]{8}$/],
  },
  "prefixes that collide in their turn get digests": {
    requests: [["b_c", "a"], ["c", "a_b"], ["c"], ["b_c"]],
    names: [/^a_b_c_[0-9a-f]{8}$/, /^a_b_c_[0-9a-f]{8}$/, "c", "b_c"],
  },
  "a prefixed name that a native tool has gets a digest": {
    requests: [["a_b_c"], ["b_c", "a"], ["b_c", "x"]],
    names: ["a_b_c", /^a_b_c_[0-9a-f]{8}$/, "x_b_c"],
  },
};

test.each(Object.entries(rows))("%s", (_, { requests, names }) => {
  const given = uniqueToolNames(requests.map(([name, server]) => ({ name, server })));
  given.forEach((name, index) => {
    expect(name).toMatch(
      names[index] instanceof RegExp ? names[index] : new RegExp(`^${names[index]}$`),
    );
  });
  expect(given).toHaveLength(names.length);
  expect(new Set(given).size).toBe(given.length);
  expect(given.every(isValidToolName)).toBe(true);
});

test("names do not depend on the process, the time, or the tools beside them", () => {
  const requests = [
    { name: "c", server: "a_b" },
    { name: "b_c", server: "a" },
    { name: "c", server: "z" },
    { name: "b_c", server: "y" },
  ];
  expect(uniqueToolNames(requests)).toEqual(uniqueToolNames(structuredClone(requests)));
  const others = [{ name: "other" }, { name: "late", server: "z" }];
  expect(uniqueToolNames([...others, ...requests]).slice(2)).toEqual(uniqueToolNames(requests));
});

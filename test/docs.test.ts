import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";

const pages = globSync(["*.md", "docs/**/*.md"]);
const examples = globSync("examples/*.ts").map((file) => readFileSync(file, "utf8"));

test.each(pages)(
  "every code block of %s stands in an example that is type-checked and run",
  (page) => {
    const blocks = [...readFileSync(page, "utf8").matchAll(/^```ts\n(.*?)^```$/gms)].map(
      ([, block]) => block ?? "",
    );
    expect(blocks.filter((block) => !examples.some((example) => example.includes(block)))).toEqual(
      [],
    );
  },
);

test.each(pages)("every link of %s leads somewhere", (page) => {
  const links = [...readFileSync(page, "utf8").matchAll(/\]\(([^)#\s]+)(#[^)\s]+)?\)/g)];
  const broken = links.filter(([, target, anchor]) => {
    if (target === undefined || target.startsWith("https:")) {
      return false;
    }
    const file = join(dirname(page), target);
    return !existsSync(file) || (anchor !== undefined && !anchorsOf(file).includes(anchor));
  });
  expect(broken.map(([link]) => link)).toEqual([]);
});

test("every page of the documentation is in its list, and the list in README", () => {
  const list = readFileSync("docs/README.md", "utf8");
  const missing = globSync("docs/*.md")
    .map((page) => basename(page))
    .filter((name) => name !== "README.md" && !list.includes(`](${name})`));
  expect(missing).toEqual([]);
  expect(readFileSync("README.md", "utf8")).toContain("](docs/README.md)");
});

function anchorsOf(file: string): readonly string[] {
  return [...readFileSync(file, "utf8").matchAll(/^#+ (.*)$/gm)].map(
    ([, title]) =>
      `#${title
        ?.toLowerCase()
        .replace(/[^\w\s-]/g, "")
        .replace(/\s/g, "-")}`,
  );
}

/** What SECURITY.md must say, by the requirement. */
const warnings = {
  "L-C15": [
    "An MCP configuration is code",
    "a URL may point anywhere, also into your own network",
    "Who may write configurations is the boundary",
    "In production, give servers `https:` and a token",
    "the web UI are developers' tools and not for networks that you do not trust",
    "Remote servers need `https:`",
  ],
  "G-T17": [
    "an MCP server's tools, descriptions and results | none",
    "text that may try to instruct it",
    "Give an agent only the servers and tools that it needs",
    "with credentials that are as narrow as its task",
    "A server must authorise each call itself",
    "Annotations of a server are claims",
  ],
  "G-A6": ["A run's event stream does hold private content"],
};

test("L-C15, G-T17, G-A6: SECURITY.md says whom to trust with what", () => {
  const security = readFileSync("SECURITY.md", "utf8").replace(/\s+/g, " ");
  const missing = Object.values(warnings)
    .flat()
    .filter((said) => !security.includes(said));
  expect(missing).toEqual([]);
});

test("P4: docs/tools.md says how schemas are converted", () => {
  const tools = readFileSync("docs/tools.md", "utf8");
  for (const said of ["JSON Schema 2020-12", "a provider's dialect", "`outputSchema`"]) {
    expect(tools.slice(tools.indexOf("## How schemas travel"))).toContain(said);
  }
});

import { expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { chooseServers, type ServerDiscovery } from "./choose-servers.ts";
import type { ScoredDocument, Scorer } from "./scorer.ts";

const files = { name: "files", description: "Read, write and search files on the local disk" };
const packages = {
  name: "packages",
  description: "Package manager: install, update and remove packages",
};
const scope = { signal: new AbortController().signal, clock: systemClock };

async function choose(
  message: string,
  discovery: ServerDiscovery = {},
  servers: readonly ScoredDocument[] = [files, packages],
) {
  const choice = await chooseServers(message, servers, discovery, scope);
  const chosen = choice.servers.filter((server) => server.chosen).map(({ name }) => name);
  return { ...choice, chosen };
}

const scorers = ["bm25f", "tf-cosine"] as const;

test.each(scorers)(
  "%s: the servers that a message is for are chosen, with their scores",
  async (scorer) => {
    const choice = await choose("Please install the lodash package", { scorer });
    expect(choice).toMatchObject({ reason: "chosen", scorer, chosen: ["packages"] });
    expect(choice.servers).toEqual([
      { name: "files", chosen: false, score: 0 },
      { name: "packages", chosen: true, score: expect.any(Number) },
    ]);
  },
);

test.each(scorers)("%s: all are chosen where no server has a description", async (scorer) => {
  const servers = [
    { name: "install", description: " " },
    { name: "other", description: "" },
  ];
  const choice = await choose("install", { scorer }, servers);
  expect(choice).toMatchObject({ reason: "no-description", chosen: ["install", "other"] });
});

test.each(scorers)("%s: all are chosen for a blank message", async (scorer) => {
  const choice = await choose(" \n", { scorer });
  expect(choice).toMatchObject({ reason: "blank-message", chosen: ["files", "packages"] });
});

test.each(scorers)("%s: all are chosen where nothing reaches the threshold", async (scorer) => {
  expect(await choose("Sing me a lullaby", { scorer })).toMatchObject({
    reason: "below-threshold",
    chosen: ["files", "packages"],
    servers: [{ score: 0 }, { score: 0 }],
  });
  const choice = await choose("install a package", { scorer, threshold: 1.1 });
  expect(choice).toMatchObject({ reason: "below-threshold", chosen: ["files", "packages"] });
});

const scorer = (score: Scorer["score"]): Scorer => ({ name: "own", threshold: 0.5, score });

test.each([
  [
    "throws",
    scorer(() => {
      throw new Error("no key");
    }),
    "no key",
  ],
  ["rejects", scorer(async () => Promise.reject(new Error("offline"))), "offline"],
  ["gives too few numbers", scorer(() => [1]), "one number for each"],
  ["gives what is no number", scorer(() => [1, Number.NaN]), "one number for each"],
])("all are chosen where a scorer of the application %s", async (_, own, problem) => {
  const choice = await choose("install a package", { scorer: own });
  expect(choice).toMatchObject({ reason: "scorer-unavailable", chosen: ["files", "packages"] });
  expect(choice.problem).toContain(problem);
});

test("a scorer of the application decides, at its own threshold or at the one that is given", async () => {
  const own = scorer(async () => [0.6, 0.4]);
  expect((await choose("x", { scorer: own })).chosen).toEqual(["files"]);
  expect((await choose("x", { scorer: own, threshold: 0.3 })).chosen).toEqual([
    "files",
    "packages",
  ]);
  expect((await choose("x", { scorer: own, threshold: 0.7 })).reason).toBe("below-threshold");
});

test("a scorer that does not answer is given up after ten seconds, and told so", async () => {
  const clock = manualClock();
  const signals: AbortSignal[] = [];
  const never = scorer((_message, _documents, { signal }) => {
    signals.push(signal);
    return new Promise(() => {});
  });
  const choice = chooseServers("x", [files], { scorer: never }, { ...scope, clock });
  clock.advance(10_000);
  expect(await choice).toMatchObject({
    reason: "scorer-unavailable",
    problem: "it took more than 10000 ms",
  });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  expect(clock.pending).toBe(0);
});

test("a cancelled run waits for no scorer", async () => {
  const never = scorer(() => new Promise(() => {}));
  const gone = AbortSignal.abort("gone");
  await expect(
    chooseServers("x", [files], { scorer: never }, { ...scope, signal: gone }),
  ).rejects.toBe("gone");
});

const toolOf = (server: ScoredDocument, name: string): ScoredDocument => ({
  name,
  description: "",
  server,
});

test("a server whose tools are known is chosen for them; tf-cosine looks at none", async () => {
  const bare = { name: "srv", description: "" };
  const known = { ...bare, tools: [toolOf(bare, "book_flight")] };
  const choice = await choose("book me a flight", {}, [files, known]);
  expect(choice.chosen).toEqual(["srv"]);
  const plain = await choose("book me a flight", { scorer: "tf-cosine" }, [files, known]);
  expect(plain.reason).toBe("below-threshold");
  const alone = await choose("book me a flight", { scorer: "tf-cosine" }, [known]);
  expect(alone.reason).toBe("no-description");
});

test("R16: for tf-cosine a server at 0.05 is chosen, and one just below it is not", async () => {
  const letters = [..."abcfhijklmnopqrtuvwxyz"];
  const words = letters.flatMap((one) => letters.map((other) => `z${one}${other}k`));
  // With one word of the message among n different ones the cosine is 1 / √n.
  const server = (name: string, count: number): ScoredDocument => ({
    name,
    description: ["install", ...words.slice(0, count - 2)].join(" "),
  });
  const servers = [server("zat", 400), server("zbelow", 401)];
  const choice = await choose("install", { scorer: "tf-cosine" }, servers);
  expect(choice.servers).toEqual([
    { name: "zat", chosen: true, score: 0.05 },
    { name: "zbelow", chosen: false, score: expect.closeTo(0.04994, 5) },
  ]);
});

import { expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { rankTools } from "./rank-tools.ts";
import type { Scorer } from "./scorer.ts";

const scope = { signal: new AbortController().signal, clock: systemClock };
const documents = ["read_file", "write_file", "send_mail", "read_mail"].map((name) => ({
  name,
  description: "",
}));
const indexesOf = (ranked: readonly { readonly index: number }[]) =>
  ranked.map(({ index }) => index);

test("the best tools come first, no more than so many, and none that does not fit", async () => {
  const mail = await rankTools("read my mail", documents, { limit: 10, ...scope });
  expect(indexesOf(mail.ranked)).toEqual([3, 0, 2]);
  const one = await rankTools("read my mail", documents, { limit: 1, ...scope });
  expect(indexesOf(one.ranked)).toEqual([3]);
});

test("a scorer of the application ranks; of two that are equal the earlier comes first", async () => {
  const own: Scorer = { name: "own", threshold: 0, score: async () => [0.2, 0.9, -1, 0.9] };
  const { ranked, scorer } = await rankTools("x", documents, { limit: 3, scorer: own, ...scope });
  expect(scorer).toBe("own");
  expect(indexesOf(ranked)).toEqual([1, 3, 0]);
});

test("the default scorer takes the place of one that fails", async () => {
  const own: Scorer = { name: "own", threshold: 0, score: () => Promise.reject(new Error("down")) };
  const ranking = await rankTools("send mail", documents, { limit: 1, scorer: own, ...scope });
  expect(ranking).toMatchObject({ scorer: "bm25f", problem: "down", ranked: [{ index: 2 }] });
});

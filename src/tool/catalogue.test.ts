import { expect, test } from "vitest";
import { memoryCatalogues } from "./catalogue.ts";

const catalogue = (revision: string) => ({ revision, time: 0, tools: [] });

test("a catalogue is found under its key, and under no other", async () => {
  const store = memoryCatalogues();
  await store.set("a", catalogue("a@1"));
  expect(await store.get("a")).toEqual(catalogue("a@1"));
  expect(await store.get("b")).toBeUndefined();
  await store.set("a", catalogue("a@2"));
  expect(await store.get("a")).toEqual(catalogue("a@2"));
});

test("those are forgotten that were not used for longest", async () => {
  const store = memoryCatalogues({ maxCatalogues: 2 });
  await store.set("a", catalogue("a"));
  await store.set("b", catalogue("b"));
  await store.get("a");
  await store.set("c", catalogue("c"));
  expect(await store.get("b")).toBeUndefined();
  expect(await store.get("a")).toBeDefined();
});

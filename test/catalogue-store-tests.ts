import { expect, test } from "vitest";
import type { Clock } from "../src/base/clock.ts";
import type { CatalogueAge } from "../src/stores/catalogue-row.ts";
import { manualClock } from "../src/testing/manual-clock.ts";
import type { Catalogue, CatalogueStore } from "../src/tool/catalogue.ts";

/** A catalogue that was true at a time. */
const catalogueAt = (time: number, name = "search"): Catalogue => ({
  revision: "crm@1.0",
  time,
  tools: [
    { name, description: "Täglich \u0000 'x'", parameters: { type: "object", properties: {} } },
  ],
});

/** Tests of what the stores of catalogues that outlive their process promise. */
export function testCatalogueStore(
  open: (
    options: CatalogueAge & { readonly clock: Clock },
  ) => Required<Pick<CatalogueStore, "get" | "set" | "delete">> & Partial<AsyncDisposable>,
): void {
  const start = Date.now();

  test("a catalogue comes back under its key and no other, and is replaced and forgotten", async () => {
    const store = open({ clock: manualClock(start) });
    try {
      expect(await store.get("ann")).toBeUndefined();
      await store.set("ann", catalogueAt(start));
      expect(await store.get("ann")).toEqual(catalogueAt(start));
      for (const other of ["bob", "ann ", "", "ANN"]) {
        expect(await store.get(other)).toBeUndefined();
      }
      await store.set("bob", catalogueAt(start, "other"));
      await store.set("ann", catalogueAt(start + 1, "newer"));
      expect(await store.get("ann")).toEqual(catalogueAt(start + 1, "newer"));
      await store.delete("ann");
      await store.delete("ann");
      expect(await store.get("ann")).toBeUndefined();
      expect(await store.get("bob")).toEqual(catalogueAt(start, "other"));
    } finally {
      await store[Symbol.asyncDispose]?.();
    }
  });

  test("a catalogue that is too old is not known any more", async () => {
    const clock = manualClock(start);
    const store = open({ clock, maxAgeMs: 1_000 });
    try {
      await store.set("a", catalogueAt(start));
      clock.advance(999);
      expect(await store.get("a")).toBeDefined();
      clock.advance(1);
      expect(await store.get("a")).toBeUndefined();
      await store.set("b", catalogueAt(start + 1_000));
      expect(await store.get("b")).toBeDefined();
    } finally {
      await store[Symbol.asyncDispose]?.();
    }
  });
}

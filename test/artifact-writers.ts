import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { type ArtifactPlace, artifactWriter, openArtifacts } from "./artifact-writer.ts";

/** Tests of what a store of artifacts promises across processes. @param nextPlace one without artifacts. */
export function testSharedArtifactStore(nextPlace: () => ArtifactPlace): void {
  test("artifacts that were acknowledged are there after kill -9, and each that is there is whole", async () => {
    const place = nextPlace();
    const kept: string[] = [];
    const child = spawn(process.execPath, [artifactWriter, ...place], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    for await (const line of createInterface({ input: child.stdout })) {
      kept.push(line);
      if (kept.length === 25) {
        child.kill("SIGKILL"); // what it still writes is read to the end
      }
    }
    expect(kept.length).toBeGreaterThanOrEqual(25);
    const store = openArtifacts(place);
    try {
      const { artifacts } = await store.list({ app: "app", limit: 1_000 });
      const listed = artifacts.map(({ id }) => id);
      expect(listed).toEqual(expect.arrayContaining(kept));
      expect(listed.length).toBeLessThanOrEqual(kept.length + 1); // kept, and killed before it said so
      for (const id of listed) {
        const found = await store.get({ app: "app", id }); // it throws for other bytes
        expect(found?.bytes.length).toBeGreaterThan(300_000);
      }
    } finally {
      await store[Symbol.asyncDispose]?.();
    }
  });
}

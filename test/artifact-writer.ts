import { writeSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ArtifactStore } from "../src/agent/artifact-store.ts";
import { fileArtifacts } from "../src/stores/file-artifacts.ts";
import { postgresArtifacts } from "../src/stores/postgres-artifacts.ts";
import { sqliteArtifacts } from "../src/stores/sqlite-artifacts.ts";

/** A store that other processes can open, too: its kind, and where it is. */
export type ArtifactPlace = readonly ["files" | "sqlite" | "postgres", string];

/** Opens the store at a place. */
export function openArtifacts([kind, place]: ArtifactPlace): ArtifactStore &
  Partial<AsyncDisposable> {
  switch (kind) {
    case "files":
      return fileArtifacts({ folder: place });
    case "sqlite":
      return sqliteArtifacts({ file: place });
    case "postgres":
      return postgresArtifacts({ connectionString: place });
  }
}

/** This file, to be run as a process of its own: puts artifacts without end, and prints each id once it is kept. */
export const artifactWriter: string = fileURLToPath(import.meta.url);

if (process.argv[1] === artifactWriter) {
  const [kind, place = ""] = process.argv.slice(2);
  const store = openArtifacts([kind as ArtifactPlace[0], place]); // as the test gives it
  for (let index = 0; ; index += 1) {
    const bytes = new TextEncoder().encode(`${index} ${"x".repeat(300_000)}`);
    const artifact = { app: "app", runId: "run", mediaType: "text/plain", bytes };
    writeSync(1, `${(await store.put(artifact)).id}\n`);
  }
}

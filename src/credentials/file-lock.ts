import { randomUUID } from "node:crypto";
import { open, readFile, rename, stat, unlink } from "node:fs/promises";
import type { Clock } from "../base/clock.ts";
import { whenFree } from "../base/when-free.ts";
import { CredentialError } from "./credential-error.ts";

/** How long a lock is respected; who holds one longer is taken to be dead. */
const staleMs = 60_000;
const pollMs = 25;

/**
 * Does `work` while this process holds the lock file. It waits for whoever else holds it; a lock that
 * is older than a minute was left behind by a process that died, and is taken over.
 *
 * @throws CredentialError `store-locked` after two minutes of waiting.
 */
export async function withFileLock<Result>(
  path: string,
  clock: Clock,
  work: () => Promise<Result>,
): Promise<Result> {
  const token = randomUUID();
  const giveUpAtMs = clock.now() + 2 * staleMs;
  const machine = { platform: process.platform, clock };
  // On Windows a lock that is being removed cannot be made anew for a moment.
  while (!(await whenFree(() => tryLock(path, token), machine))) {
    await breakStale(path, clock);
    if (clock.now() > giveUpAtMs) {
      throw new CredentialError(
        `The credential store is locked by another process (${path}). Remove that file if no other process runs.`,
        { code: "store-locked" },
      );
    }
    await new Promise<void>((resolve) => {
      clock.startTimer(resolve, pollMs);
    });
  }
  try {
    return await work();
  } finally {
    await whenFree(() => unlock(path, token), machine);
  }
}

async function tryLock(path: string, token: string): Promise<boolean> {
  try {
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(token);
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if (isCode(error, "EEXIST")) {
      return false;
    }
    throw error;
  }
}

/** Moves a stale lock away: of several who try, the rename of one succeeds. */
async function breakStale(path: string, clock: Clock): Promise<void> {
  try {
    const { mtimeMs } = await stat(path);
    if (clock.now() - mtimeMs > staleMs) {
      const aside = `${path}.${randomUUID()}`;
      await rename(path, aside);
      await unlink(aside);
    }
  } catch (error) {
    if (!isCode(error, "ENOENT")) {
      throw error;
    }
  }
}

/** Removes the lock, unless somebody has taken it over. */
async function unlock(path: string, token: string): Promise<void> {
  try {
    if ((await readFile(path, "utf8")) === token) {
      await unlink(path);
    }
  } catch (error) {
    if (!isCode(error, "ENOENT")) {
      throw error;
    }
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

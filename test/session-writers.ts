import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { SessionStore, StoredMessage } from "../src/agent/session-store.ts";
import { textOf } from "../src/message/message.ts";

/** A store that other processes can open, too. */
export interface SharedStore {
  readonly store: SessionStore;
  /** What test/session-writer.ts opens it by: its kind, and where it is. */
  readonly place: readonly ["sqlite" | "postgres", string];
}

/** Tests of what a store promises across processes. */
export function testSharedSessionStore(shared: () => SharedStore): void {
  const start = (name: string, groups: number): ChildProcess =>
    spawn(process.execPath, [writer, ...shared().place, name, String(groups)], {
      stdio: ["ignore", "pipe", "inherit"],
    });

  test("two processes that append to one session at once lose nothing", async () => {
    const { store } = shared();
    await store.create({ app: "desk", id: "shared" });
    const writers = ["left", "right"].map((name) => start(name, 25));
    const own = Array.from({ length: 10 }, (_, index) =>
      store.append(
        { app: "desk", id: "shared" },
        ["a", "b", "c"].map((part) => ({
          role: "user",
          content: [{ kind: "text", text: `own ${index} ${part}` }],
        })),
      ),
    );
    const exits = await Promise.all(writers.map(async (child) => (await once(child, "close"))[0]));
    expect(exits).toEqual([0, 0]);
    await Promise.all(own);
    const messages = await store.messages({ app: "desk", id: "shared" });
    expect(messages.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 180 }, (_, index) => index + 1),
    );
    const groups = groupsOf(messages);
    expect(groups.every(isWhole)).toBe(true);
    for (const [name, count] of Object.entries({ left: 25, right: 25, own: 10 })) {
      const ofWriter = groups.filter(([first]) => first?.startsWith(`${name} `));
      const firsts = ofWriter.map(([first]) => first);
      const expected = Array.from({ length: count }, (_, index) => `${name} ${index} a`);
      // Whoever waits for each acknowledgement keeps their order; "own" were all sent at once.
      expect(name === "own" ? firsts.toSorted() : firsts).toEqual(expected);
    }
  });

  test("what was acknowledged is there after kill -9, and no part of a group", async () => {
    const { store } = shared();
    await store.create({ app: "desk", id: "shared" });
    const child = start("doomed", 1_000_000);
    let acknowledged = 0;
    // The pipe is always there: see `start`.
    for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
      acknowledged = Number(line);
      if (acknowledged >= 30) {
        child.kill("SIGKILL"); // what it still writes is read to the end
      }
    }
    const messages = await store.messages({ app: "desk", id: "shared" });
    expect(acknowledged).toBeGreaterThanOrEqual(30);
    expect(messages.length).toBeGreaterThanOrEqual(acknowledged);
    expect(messages.length).toBeLessThanOrEqual(acknowledged + 3); // stored, and killed before it said so
    expect(groupsOf(messages).every(isWhole)).toBe(true);
    expect((await store.get({ app: "desk", id: "shared" }))?.length).toBe(messages.length);
  });
}

const writer = fileURLToPath(new URL("session-writer.ts", import.meta.url));

function groupsOf(messages: readonly StoredMessage[]): readonly (readonly string[])[] {
  const texts = messages.map(({ message }) =>
    message.role === "user" ? textOf(message.content) : "",
  );
  return texts.flatMap((_, index) => (index % 3 === 0 ? [texts.slice(index, index + 3)] : []));
}

function isWhole(group: readonly string[]): boolean {
  const name = group[0]?.replace(/ a$/, "");
  return group.join() === [`${name} a`, `${name} b`, `${name} c`].join();
}

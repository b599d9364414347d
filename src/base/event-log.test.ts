import { expect, test } from "vitest";
import { EventLog } from "./event-log.ts";

interface Piece {
  readonly of?: string;
  readonly text: string;
}

const newLog = (): EventLog<Piece> =>
  new EventLog<Piece>({
    keyOf: ({ of }) => of,
    join: (items) => ({ ...items[0], text: items.map(({ text }) => text).join("") }),
  });

async function read(log: EventLog<Piece>): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const { text } of log) {
    texts.push(text);
  }
  return texts;
}

test("every reader gets everything from the first item, whenever it comes", async () => {
  const log = newLog();
  const early = read(log);
  log.append({ text: "a" });
  log.append({ text: "b" });
  log.close();
  expect(await early).toEqual(["a", "b"]);
  expect(await read(log)).toEqual(["a", "b"]);
});

test("a reader that keeps up gets each piece, one that comes late gets them joined", async () => {
  const log = newLog();
  const reader = log[Symbol.asyncIterator]();
  const seen: (string | undefined)[] = [];
  for (const text of ["x", "y", "z"]) {
    const next = reader.next();
    log.append({ of: "t", text });
    seen.push((await next).value?.text);
  }
  expect(seen).toEqual(["x", "y", "z"]);
  log.append({ of: "u", text: "1" });
  log.append({ of: "t", text: "2" });
  log.close();
  expect(await read(log)).toEqual(["xyz", "1", "2"]);
});

test("a reader that stops in the middle of a text goes on where it was", async () => {
  const log = newLog();
  const reader = log[Symbol.asyncIterator]();
  log.append({ of: "t", text: "a" });
  expect((await reader.next()).value?.text).toBe("a");
  log.append({ of: "t", text: "b" });
  log.append({ of: "t", text: "c" });
  expect((await reader.next()).value?.text).toBe("bc");
});

test("leaving a loop ends that reader only", async () => {
  const log = newLog();
  log.append({ text: "a" });
  log.append({ text: "b" });
  for await (const _ of log) {
    break;
  }
  log.close();
  expect(await read(log)).toEqual(["a", "b"]);
});

test("a closed log takes nothing more", async () => {
  const log = newLog();
  log.close();
  log.append({ text: "late" });
  expect(await read(log)).toEqual([]);
});

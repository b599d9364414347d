import { expect, test } from "vitest";
import type { NewSession, SessionStore } from "../src/agent/session-store.ts";
import type { Clock } from "../src/base/clock.ts";
import type { Message } from "../src/message/message.ts";
import { sessionLimits } from "../src/stores/session-limits.ts";
import { type ManualClock, manualClock } from "../src/testing/manual-clock.ts";
import { failureOf } from "./failure-of.ts";

const say = (text: string): Message => ({ role: "user", content: [{ kind: "text", text }] });
const key = { app: "desk", id: "s" } as const;

/**
 * Tests of what every session store promises.
 *
 * @param open gives a store without sessions, which is disposed of after the test.
 */
export function testSessionStore(open: (clock: Clock) => SessionStore): void {
  test.each(Object.entries(promises))("%s", async (_, keepPromise) => {
    const clock = manualClock(1_000);
    await using store = open(clock);
    await keepPromise(store, clock);
  });

  test.each(Object.entries(refusals))("%s is session-invalid", async (_, wrong) => {
    await using store = open(manualClock());
    await store.create(key);
    const attempts = [
      store.create({ ...key, ...wrong }),
      "title" in wrong || "state" in wrong
        ? store.update(key, wrong)
        : store.get({ ...key, ...wrong }),
    ];
    for (const failure of await Promise.all(attempts.map(failureOf))) {
      expect(failure).toMatchObject({ code: "session-invalid" });
    }
  });
}

type Promised = (store: SessionStore, clock: ManualClock) => Promise<void>;

const promises: Readonly<Record<string, Promised>> = {
  "a session is created for an application and an actor, and read again": async (store) => {
    const session = { ...key, actor: "ann", title: "Täglich 🌞", state: { plan: "pro" } };
    const created = await store.create(session);
    expect(created).toEqual({ ...session, createdAt: 1_000, updatedAt: 1_000, length: 0 });
    expect(await store.get(key)).toEqual(created);
    expect(await store.get({ app: "desk", id: "other" })).toBeUndefined();
    const unnamed = await store.create({ app: "desk" });
    expect(unnamed).toEqual({ ...unnamed, state: {}, length: 0 });
    expect(Object.hasOwn(unnamed, "actor")).toBe(false);
    expect(await store.get(unnamed)).toEqual(unnamed);
  },

  "an id is taken within its application, whoever has it": async (store) => {
    await store.create({ ...key, actor: "ann" });
    for (const actor of ["ann", "bob"]) {
      expect(await failureOf(store.create({ ...key, actor }))).toMatchObject({
        code: "session-conflict",
      });
    }
    expect(await store.create({ app: "shop", id: "s" })).toMatchObject({ app: "shop" });
  },

  "an actor reaches no session of another's, nor one of nobody's": async (store) => {
    await store.create({ ...key, actor: "ann", state: { secret: 1 } });
    await store.append(key, [say("mine")]);
    await store.create({ app: "desk", id: "free" });
    for (const id of ["s", "free"]) {
      const bob = { app: "desk", id, actor: "bob" };
      expect(await store.get(bob)).toBeUndefined();
      expect(await store.delete(bob)).toBe(false);
      for (const failure of await Promise.all(
        [
          store.messages(bob),
          store.append(bob, [say("yours")]),
          store.update(bob, { title: "yours" }),
        ].map(failureOf),
      )) {
        expect(failure).toMatchObject({ code: "session-not-found" });
      }
    }
    expect((await store.list({ app: "desk", actor: "bob" })).sessions).toEqual([]);
    expect(await store.get({ ...key, actor: "ann" })).toMatchObject({ length: 1 });
    expect(await store.get({ ...key, actor: "ann" })).not.toHaveProperty("title");
  },

  "keys of the state are set and removed each by itself, also at once": async (store) => {
    await store.create({ ...key, state: { a: 1, b: [1, { deep: "ü" }] } });
    const changed = await store.update(key, { state: { a: undefined, c: null }, title: "T" });
    expect(changed).toMatchObject({ title: "T", state: { b: [1, { deep: "ü" }], c: null } });
    expect(Object.keys(changed.state)).toEqual(["b", "c"]);
    const names = Array.from({ length: 10 }, (_, index) => `k${index}`);
    await Promise.all(names.map((name) => store.update(key, { state: { [name]: name } })));
    const { state, title } = (await store.get(key)) ?? {};
    expect(Object.keys(state ?? {})).toEqual(expect.arrayContaining(["b", "c", ...names]));
    expect(title).toBe("T");
    await store.update(key, { state: JSON.parse('{ "__proto__": 1 }') });
    expect(Object.keys((await store.get(key))?.state ?? {})).toContain("__proto__");
  },

  "sessions are listed by application and actor, the last changed first, page by page": async (
    store,
    clock,
  ) => {
    for (const id of ["a", "b", "c", "d", "e"]) {
      await store.create({ app: "desk", id, actor: id < "d" ? "ann" : "bob", state: { id } });
      clock.advance(id === "b" ? 0 : 1); // "b" and "c" are equally old
    }
    await store.create({ app: "shop", id: "x" });
    await store.append({ app: "desk", id: "a" }, [say("Hi")]);
    const all = await store.list({ app: "desk" });
    expect(all.sessions.map(({ id }) => id)).toEqual(["a", "e", "d", "c", "b"]);
    expect(all.sessions[0]).toMatchObject({ length: 1, actor: "ann", updatedAt: 1_004 });
    expect(all.sessions[0]).not.toHaveProperty("state");
    expect(all).not.toHaveProperty("next");
    const ids: string[] = [];
    let after: string | undefined;
    do {
      const page = await store.list({
        app: "desk",
        actor: "ann",
        limit: 1,
        ...(after === undefined ? {} : { after }),
      });
      expect(page.sessions).toHaveLength(1);
      ids.push(...page.sessions.map(({ id }) => id));
      after = page.next;
    } while (after !== undefined);
    expect(ids).toEqual(["a", "c", "b"]);
  },

  "a deleted session is gone with its messages, and its id may be used again": async (store) => {
    await store.create(key);
    await store.append(key, [say("gone")], { groupId: "g" });
    expect(await store.delete({ ...key, actor: "ann" })).toBe(false);
    expect(await store.delete(key)).toBe(true);
    expect(await store.delete(key)).toBe(false);
    expect(await store.get(key)).toBeUndefined();
    await store.create(key);
    expect(await store.messages(key)).toEqual([]);
    expect(await store.append(key, [say("new")], { groupId: "g" })).toBe(1);
  },

  "messages come back as they were said, numbered from 1, with their time": async (
    store,
    clock,
  ) => {
    const messages: readonly Message[] = [
      {
        role: "user",
        content: [
          { kind: "text", text: "Zürich 🌍 \u0000 \ud800 \u2028 'quoted' \\ ﷽" },
          {
            kind: "image",
            mediaType: "image/png",
            source: { kind: "data", base64: "AAAA".repeat(300_000) }, // 1.2 MB
          },
        ],
      },
      {
        role: "assistant",
        content: [
          { kind: "reasoning", text: "Hm.", providerData: { gemini: { signature: "x" } } },
          {
            kind: "tool-call",
            id: "1",
            name: "look",
            arguments: JSON.parse('{"__proto__":[1.5,null,true],"":"empty"}'),
          },
        ],
      },
      {
        role: "tool",
        content: [{ kind: "tool-result", id: "1", name: "look", isError: false, content: [] }],
      },
    ];
    await store.create(key);
    expect(await store.append(key, messages, { groupId: "run-1" })).toBe(3);
    clock.advance(5);
    expect(await store.append(key, [say("and")])).toBe(4);
    const stored = await store.messages(key);
    expect(stored.map(({ message }) => message)).toEqual([...messages, say("and")]);
    expect(stored.map(({ message: _, ...rest }) => rest)).toEqual([
      { sequence: 1, time: 1_000, groupId: "run-1" },
      { sequence: 2, time: 1_000, groupId: "run-1" },
      { sequence: 3, time: 1_000, groupId: "run-1" },
      { sequence: 4, time: 1_005 },
    ]);
    expect(await store.get(key)).toMatchObject({ length: 4, createdAt: 1_000, updatedAt: 1_005 });
  },

  "a range of messages can be read": async (store) => {
    await store.create(key);
    await store.append(key, ["1", "2", "3", "4", "5"].map(say));
    const read = async (range: Parameters<SessionStore["messages"]>[1]) =>
      (await store.messages(key, range)).map(({ sequence }) => sequence);
    expect(await read({ after: 2 })).toEqual([3, 4, 5]);
    expect(await read({ upTo: 2 })).toEqual([1, 2]);
    expect(await read({ limit: 2 })).toEqual([1, 2]);
    expect(await read({ after: 1, upTo: 4, limit: 2 })).toEqual([2, 3]);
    expect(await read({ after: 3, upTo: 1 })).toEqual([]);
    expect(await read({ after: 9 })).toEqual([]);
  },

  "what is given and what is read belong to the caller alone": async (store) => {
    const state = { list: [1] };
    const message = { role: "user", content: [{ kind: "text", text: "as said" }] } as const;
    await store.create({ ...key, state });
    await store.append(key, [message]);
    state.list.push(2);
    for (let round = 0; round < 2; round += 1) {
      const session = await store.get(key);
      const [stored] = await store.messages(key);
      expect(session?.state).toEqual({ list: [1] });
      expect(stored?.message).toEqual(message);
      // What is read is not frozen, whatever its type says.
      Object.assign(session?.state ?? {}, { list: [3] });
      Object.assign(stored?.message ?? {}, { role: "changed" });
    }
  },

  "groups that are appended at once are all there, each in one piece": async (store) => {
    await store.create(key);
    const lengths = await Promise.all(
      Array.from({ length: 20 }, (_, group) =>
        store.append(key, [say(`${group} a`), say(`${group} b`)], { groupId: `g${group}` }),
      ),
    );
    const stored = await store.messages(key);
    expect(stored.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 40 }, (_, index) => index + 1),
    );
    lengths.forEach((length, group) => {
      expect(stored.slice(length - 2, length).map(({ message }) => message)).toEqual([
        say(`${group} a`),
        say(`${group} b`),
      ]);
    });
  },

  "a group that is sent twice is stored once, also when both come at once": async (store) => {
    await store.create(key);
    const send = () => store.append(key, [say("1"), say("2")], { groupId: "g", expectedLength: 0 });
    expect(await Promise.all([send(), send()])).toEqual([2, 2]);
    await store.append(key, [say("3")]);
    expect(await send()).toBe(2);
    expect(await store.messages(key)).toHaveLength(3);
  },

  "an append that expects another length is refused, and of two at once one wins": async (
    store,
  ) => {
    await store.create(key);
    await store.append(key, [say("1")], { expectedLength: 0 });
    const outcomes = await Promise.allSettled([
      store.append(key, [say("2")], { expectedLength: 1 }),
      store.append(key, [say("2")], { expectedLength: 1 }),
    ]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(outcomes.find(({ status }) => status === "rejected")).toMatchObject({
      reason: { code: "session-conflict" },
    });
    expect(await store.messages(key)).toHaveLength(2);
  },

  "an empty group changes nothing": async (store, clock) => {
    await store.create(key);
    clock.advance(9);
    expect(await store.append(key, [])).toBe(0);
    expect(await store.get(key)).toMatchObject({ updatedAt: 1_000 });
  },

  "of a group with a message that is too large, nothing is stored": async (store) => {
    await store.create(key);
    const large = say("ü".repeat(sessionLimits.maxMessageBytes / 2));
    expect(await failureOf(store.append(key, [say("small"), large]))).toMatchObject({
      code: "session-invalid",
      message: expect.stringMatching(/16777\d+ bytes.*16777216/),
    });
    expect(await store.messages(key)).toEqual([]);
  },

  "a session that is not there is session-not-found": async (store) => {
    for (const failure of await Promise.all(
      [store.messages(key), store.append(key, [say("x")]), store.update(key, { title: "x" })].map(
        failureOf,
      ),
    )) {
      expect(failure).toMatchObject({ code: "session-not-found" });
    }
  },

  "limits and cursors that are none are session-invalid": async (store) => {
    await store.create(key);
    for (const failure of await Promise.all(
      [
        store.list({ app: "desk", limit: 0 }),
        store.list({ app: "desk", limit: 1_001 }),
        store.list({ app: "desk", after: "nowhere" }),
        store.messages(key, { limit: 0 }),
        store.messages(key, { after: -1 }),
        store.append(key, [say("x")], { expectedLength: 0.5 }),
        store.append(key, [say("x")], { groupId: "" }),
      ].map(failureOf),
    )) {
      expect(failure).toMatchObject({ code: "session-invalid" });
    }
  },

  "the time of the last change never goes back": async (store, clock) => {
    await store.create(key);
    clock.advance(-500);
    await store.append(key, [say("x")]);
    expect((await store.update(key, { title: "x" })).updatedAt).toBe(1_000);
    expect(await store.messages(key)).toMatchObject([{ time: 1_000 }]);
  },
};

/** What a store does not take. */
const refusals: Readonly<Record<string, Partial<NewSession>>> = {
  "an empty id": { id: "" },
  "an id that is too long": { id: "x".repeat(257) },
  "an id with a control character": { id: "a\u0000b" },
  "an id with half a character": { id: "\ud800" },
  "an empty actor": { actor: "" },
  "an empty application": { app: "" },
  "a title that is too long": { title: "x".repeat(1_001) },
  "a state that is too large": { state: { x: "x".repeat(sessionLimits.maxStateBytes) } },
};

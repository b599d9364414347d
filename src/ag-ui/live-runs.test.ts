import { expect, test } from "vitest";
import {
  ada,
  authenticate,
  eve,
  eventsIn,
  type Frame,
  framesOf,
  post,
  refusalIn,
  request,
  textIn,
  user,
} from "../../test/ag-ui-client.ts";
import { brokenRules } from "../../test/ag-ui-rules.ts";
import { agentOf, modelOf } from "../../test/agent-fixture.ts";
import { MemoryRunStore } from "../agent/memory-run-store.ts";
import type { Model } from "../model/model.ts";
import { noUsage } from "../model/usage.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { type AgUiHandler, createAgUiHandler } from "./create-ag-ui-handler.ts";
import type { AgUiHandlerOptions } from "./handler-options.ts";

const ids = { threadId: "thread", runId: "run-1" };

/** A model that says a word each time it is told to. */
function toldModel(): { readonly model: Model; say(word: string): void; end(): void } {
  const words: string[] = [];
  let isOver = false;
  let wake = (): void => {};
  const model: Model = {
    id: "told",
    capabilities: { tools: true, images: true, jsonSchema: true },
    async *stream(_, { signal }) {
      signal.addEventListener("abort", () => wake());
      for (;;) {
        const word = words.shift();
        if (word !== undefined) {
          yield { kind: "text-delta", id: "t", text: word };
        } else if (isOver) {
          yield { kind: "finish", reason: "stop", usage: noUsage };
          return;
        } else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          signal.throwIfAborted();
        }
      }
    },
  };
  return {
    model,
    say(word) {
      words.push(word);
      wake();
    },
    end() {
      isOver = true;
      wake();
    },
  };
}

function opened(model: Model, options: Partial<AgUiHandlerOptions> = {}) {
  const runs = new MemoryRunStore();
  const clock = manualClock();
  const agent = agentOf({ model }, { runs, clock });
  const handler: AgUiHandler = createAgUiHandler(agent, { authenticate: () => ({}), ...options });
  const statuses = async (): Promise<readonly string[]> =>
    (await runs.list({ app: "default" })).runs.map(({ status }) => status);
  return { handler, statuses, clock };
}

async function framesUntil(response: Response, text: string): Promise<readonly Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of framesOf(response)) {
    frames.push(frame);
    if ("delta" in frame.event && frame.event.delta === text) {
      break;
    }
  }
  return frames;
}

test("a client that closes its stream cancels its run", async () => {
  const { handler, statuses } = opened(modelOf({ text: "Hello", hangs: true }));
  await framesUntil(await post(handler, { messages: [user("Hi")] }), "Hello");
  await expect.poll(statuses).toEqual(["cancelled"]);
});

test("a client that aborts its request cancels its run", async () => {
  const { handler, statuses } = opened(modelOf({ text: "Hello", hangs: true }));
  const controller = new AbortController();
  const init = { signal: controller.signal };
  const response = await post(handler, { messages: [user("Hi")] }, init);
  for await (const { event } of framesOf(response)) {
    if (event.type === "TEXT_MESSAGE_CONTENT") {
      controller.abort();
      break;
    }
  }
  await expect.poll(statuses).toEqual(["cancelled"]);
});

test("a run with another reader left goes on when one of two is gone", async () => {
  const { model, say, end } = toldModel();
  const { handler, statuses } = opened(model);
  const input = { messages: [user("Hi")] };
  const first = framesOf(await post(handler, input));
  const second = eventsIn(await post(handler, input));
  await first.next();
  say("Hello");
  await first.return();
  end();
  expect(textIn(await second)).toBe("Hello");
  expect(await statuses()).toEqual(["completed"]);
});

test("with continue the run goes on, and the client reads on after the last event that it has", async () => {
  const { model, say, end } = toldModel();
  const { handler, statuses } = opened(model, { onDisconnect: "continue" });
  const streaming = post(handler, { messages: [user("Hi")] });
  say("One ");
  const seen = await framesUntil(await streaming, "One ");
  for (const word of ["two ", "three ", "four"]) {
    say(word);
  }
  end();
  await expect.poll(statuses).toEqual(["completed"]);
  const init = { headers: { "last-event-id": seen.at(-1)?.id ?? "" } };
  const rest = await eventsIn(await request(handler, ids, init));
  const whole = [...seen.map(({ event }) => event), ...rest];
  expect(brokenRules(whole, ids)).toEqual([]);
  expect(textIn(whole)).toBe("One two three four");
  const query = { ...ids, lastEventId: seen.at(-1)?.id ?? "" };
  expect(textIn(await eventsIn(await request(handler, query)))).toBe("two three four");
});

test("the same run asked for again is read from its beginning and not run twice", async () => {
  const model = modelOf("Once.");
  const { handler, statuses } = opened(model, { onDisconnect: "continue" });
  const input = { messages: [user("Hi")] };
  const first = await eventsIn(await post(handler, input));
  const second = await eventsIn(await post(handler, input));
  expect(textIn(second)).toBe(textIn(first));
  expect(second.at(-1)).toEqual(first.at(-1));
  expect(await statuses()).toEqual(["completed"]);
});

test("a run that has ended is kept for a time, and with cancel not at all", async () => {
  const { handler, clock } = opened(modelOf("Hi."), { onDisconnect: "continue", keepMs: 60_000 });
  await eventsIn(await post(handler, { messages: [user("Hi")] }));
  expect((await request(handler, ids)).status).toBe(200);
  clock.advance(60_000);
  expect(await refusalIn(await request(handler, ids))).toEqual([404, "not-found"]);
  const other = opened(modelOf("Hi."));
  await eventsIn(await post(other.handler, { messages: [user("Hi")] }));
  await expect.poll(async () => (await request(other.handler, ids)).status).toBe(404);
});

test("another caller can neither read on nor cancel", async () => {
  const options = { onDisconnect: "continue", authenticate } as const;
  const { handler } = opened(modelOf("Hi."), options);
  await eventsIn(await post(handler, { messages: [user("Hi")] }, ada));
  expect((await request(handler, ids, ada)).status).toBe(200);
  for (const method of ["GET", "DELETE"]) {
    expect(await refusalIn(await request(handler, ids, { ...eve, method }))).toEqual([
      404,
      "not-found",
    ]);
  }
});

test("a run that goes on can be cancelled, and its stream ends as cancelled", async () => {
  const { handler, statuses } = opened(modelOf({ text: "Hello", hangs: true }), {
    onDisconnect: "continue",
  });
  await framesUntil(await post(handler, { messages: [user("Hi")] }), "Hello");
  expect(await statuses()).toEqual(["running"]);
  expect((await request(handler, ids, { method: "DELETE" })).status).toBe(204);
  const events = await eventsIn(await request(handler, ids));
  expect(events.at(-1)).toMatchObject({ outcome: { type: "cancelled" } });
});

test("an id that was never sent is refused", async () => {
  const { handler } = opened(modelOf("Hi."), { onDisconnect: "continue" });
  await eventsIn(await post(handler, { messages: [user("Hi")] }));
  const init = { headers: { "last-event-id": "yesterday" } };
  expect(await refusalIn(await request(handler, ids, init))).toEqual([400, "invalid-input"]);
});

test("without a run asked for, the capabilities are told", async () => {
  const { handler } = opened(modelOf("Hi."), { onDisconnect: "continue" });
  expect(await (await request(handler, {})).json()).toMatchObject({
    identity: { name: "tester", type: "dragoman" },
    transport: { streaming: true, resumable: true },
    humanInTheLoop: { interrupts: true, approveWithEdits: false },
  });
});

test("a stream on which nothing happens is kept open by comments", async () => {
  const { model, end } = toldModel();
  const { handler, clock } = opened(model, { heartbeatMs: 1_000 });
  const response = await post(handler, { messages: [user("Hi")] });
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (!text.includes("STEP_STARTED")) {
    text += decoder.decode((await reader?.read())?.value);
  }
  let comment = "";
  void reader?.read().then(({ value }) => {
    comment = decoder.decode(value);
  });
  const wait = (): string => {
    clock.advance(1_000);
    return comment;
  };
  await expect.poll(wait).toBe(": ping\n\n");
  end();
  await reader?.cancel();
});

test("a reader that does not read makes nothing pile up, and then gets the text in few pieces", async () => {
  const { model, say, end } = toldModel();
  const { handler, statuses } = opened(model, { onDisconnect: "continue" });
  const frames = framesOf(await post(handler, { messages: [user("Hi")] }));
  const { value: first } = await frames.next();
  expect(first?.event.type).toBe("RUN_STARTED");
  const words = Array.from({ length: 5_000 }, (_, index) => `${index} `);
  for (const word of words) {
    say(word);
  }
  end();
  await expect.poll(statuses).toEqual(["completed"]);
  const rest: Frame[] = [];
  for await (const frame of frames) {
    rest.push(frame);
  }
  expect(textIn(rest.map(({ event }) => event))).toBe(words.join(""));
  expect(rest.length).toBeLessThan(20);
});

test("closing cancels what is going on and forgets the rest", async () => {
  const { handler, statuses } = opened(modelOf({ text: "Hello", hangs: true }), {
    onDisconnect: "continue",
  });
  const frames = framesOf(await post(handler, { messages: [user("Hi")] }));
  await frames.next();
  await handler.close();
  expect(await statuses()).toEqual(["cancelled"]);
  const left: Frame[] = [];
  for await (const frame of frames) {
    left.push(frame);
  }
  expect(left.at(-1)?.event).toMatchObject({ outcome: { type: "cancelled" } });
  expect(await refusalIn(await request(handler, ids))).toEqual([404, "not-found"]);
});

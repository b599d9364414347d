import { expect, test } from "vitest";
import type { SeenRequest } from "../../test/fixtures/mcp/fake-http-server.ts";
import {
  answerTo,
  call,
  connect,
  instead,
  open,
  serve,
} from "../../test/fixtures/mcp/http-peer.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { openMcpConnection } from "./connection/open-mcp-connection.ts";

test("a stream that is cut is taken up again where it was, however often it opens empty", async () => {
  const clock = manualClock();
  const seen: unknown[] = [];
  let asked: SeenRequest | undefined;
  const head = { "content-type": "text/event-stream" };
  const server = await serve({
    intercept: (request, response) => {
      if (request.message?.["method"] === "tools/call") {
        asked = request;
        response.writeHead(200, head).end("id: e1\nretry: 300\ndata: \n\n");
        return true;
      }
      if (request.headers["last-event-id"] === undefined || asked === undefined) {
        return false;
      }
      seen.push(request.headers["last-event-id"]);
      response
        .writeHead(200, head)
        .end(seen.length < 3 ? "data: \n\n" : `data: ${answerTo(asked, "late")}\n\n`);
      return true;
    },
  });
  const connection = await connect(server.url, {}, { clock });
  const calling = call(connection);
  for (const tries of [1, 2, 3]) {
    await expect.poll(() => clock.pending).toBe(2); // the call's limit, and the wait
    clock.advance(3000);
    await expect.poll(() => seen.length).toBe(tries);
  }
  expect(await calling).toEqual({ content: [{ text: "late" }] });
  expect(seen).toEqual(["e1", "e1", "e1"]);
});

test("an answer in small pieces, with comments, a priming event and any line ends, is put together", async () => {
  const server = await serve({
    intercept: instead("tools/call", (response, request) => {
      const answer = answerTo(request, `北京 🌍 ${"x".repeat(5000)}`);
      const cut = answer.indexOf(",");
      const stream = Buffer.from(
        `\uFEFFid: 1\r\ndata: \r\n\r\n: ping\r\n\r\nevent:message\r\ndata:${answer.slice(0, cut + 1)}\r\ndata: ${answer.slice(cut + 1)}\r\n\r\n`,
      );
      response.writeHead(200, { "content-type": "text/event-stream" });
      const writeFrom = (start: number): void => {
        if (start >= stream.length) {
          response.end();
        } else {
          response.write(stream.subarray(start, start + 7), () => writeFrom(start + 7));
        }
      };
      writeFrom(0);
    }),
  });
  const answer = await call(await connect(server.url));
  expect(JSON.stringify(answer)).toContain("北京 🌍");
});

test("the GET stream is opened again after it breaks, after the last event, and heard", async () => {
  const clock = manualClock();
  const heard: string[] = [];
  const ids: unknown[] = [];
  const note = (id: string): string =>
    `id: ${id}\ndata: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n`;
  const server = await serve({
    intercept: ({ method, headers }, response) => {
      if (method !== "GET") {
        return false;
      }
      ids.push(headers["last-event-id"]);
      response.writeHead(200, { "content-type": "text/event-stream" });
      if (ids.length < 3) {
        response.end(note(`n${ids.length}`));
      } else {
        response.write(note("n3"));
      }
      return true;
    },
  });
  const config = {
    name: "far",
    transport: { type: "http", url: server.url, allowInsecureHttp: true },
  } as const;
  const onNotification = (method: string): void => void heard.push(method);
  open.push(await openMcpConnection(config, { clock, onNotification }));
  for (const times of [1, 2]) {
    await expect.poll(() => clock.pending).toBe(1);
    clock.advance(30_000);
    await expect.poll(() => ids.length).toBe(times + 1);
  }
  await expect.poll(() => heard).toEqual(Array(3).fill("notifications/tools/list_changed"));
  expect(ids).toEqual([undefined, "n1", "n2"]);
});

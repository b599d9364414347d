import {
  InMemoryLogRecordExporter,
  LoggerProvider,
  SimpleLogRecordProcessor,
} from "@opentelemetry/sdk-logs";
import { expect, test } from "vitest";
import { openSdk3 } from "../../test/sdk-3.ts";
import { broken, cases, modelOf, secret, Traced } from "../../test/traced-runs.ts";
import { ModelError } from "../model/model-error.ts";
import type { OpenTelemetryTracingOptions } from "./open-telemetry-tracing.ts";

/** Runs whose events are log records, too. */
function withLogs(options: OpenTelemetryTracingOptions = {}) {
  const exporter = new InMemoryLogRecordExporter();
  const loggerProvider = new LoggerProvider({
    processors: [new SimpleLogRecordProcessor({ exporter })],
  });
  const runs = new Traced(openSdk3(), { loggerProvider, ...options }, {});
  const records = () =>
    exporter
      .getFinishedLogRecords()
      .map(({ eventName, severityNumber, severityText, attributes, spanContext }) => ({
        eventName,
        severityNumber,
        severityText,
        attributes,
        spanId: spanContext?.spanId,
      }));
  return { runs, records };
}

test("G-O4: with a logger provider failures are log records in their spans, without a word of what was thrown", async () => {
  const { runs, records } = withLogs();
  const error = new ModelError(`no ${secret}`, { code: "model-unauthorized", status: 401 });
  const model = modelOf({ calls: [{ id: "c1", name: "broken" }] }, { error });
  await runs.dragoman.defineAgent({ name: "desk", tools: [broken], model }).ask("Go");
  const chats = runs.sdk.spans().filter(({ name }) => name === "chat gpt-5");
  expect(records()).toEqual([
    {
      eventName: "gen_ai.execute_tool.exception",
      severityNumber: 13,
      severityText: "WARN",
      attributes: { "exception.type": "tool-failed" },
      spanId: runs.span("execute_tool broken").spanId,
    },
    expect.objectContaining({
      eventName: "gen_ai.client.inference.exception",
      attributes: { "exception.type": "ModelError" },
      spanId: chats[1]?.spanId,
    }),
  ]);
  expect(runs.tree).toBe(`invoke_agent desk INTERNAL ERROR=401 failed (exception)
  chat gpt-5 CLIENT
  execute_tool broken INTERNAL ERROR=tool-failed
  chat gpt-5 CLIENT ERROR=401`);
  expect(chats[1]?.attributes["gen_ai.response.finish_reasons"]).toEqual(["error"]);
});

test("G-O4: content as events is one log record for each call, with objects and what the span knows", async () => {
  const { runs, records } = withLogs({ capture: { scrub: (_, value) => value, as: "events" } });
  await cases[0]?.run(runs.dragoman, {});
  const [first, tool, last] = records();
  expect([first, last].map((record) => record?.eventName)).toEqual([
    "gen_ai.client.inference.operation.details",
    "gen_ai.client.inference.operation.details",
  ]);
  expect(last).toMatchObject({
    severityNumber: 5,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt-5",
      "gen_ai.usage.output_tokens": 1,
      "gen_ai.output.messages": [
        { role: "assistant", parts: [{ type: "text", content: "Three." }] },
      ],
    },
  });
  expect(tool?.attributes).toMatchObject({ "gen_ai.tool.call.arguments": { a: 1, b: 2 } });
  expect(JSON.stringify(runs.sdk.spans())).not.toContain("Three.");
});

test("loggerProvider: false leaves all to the spans", async () => {
  const { runs, records } = withLogs({ loggerProvider: false });
  await cases[6]?.run(runs.dragoman, {});
  expect(records()).toEqual([]);
  expect(runs.tree).toContain("chat gpt-5 CLIENT ERROR=401 (exception)");
});

test("G-O6: the logger provider is flushed and shut down with the others", async () => {
  const called: string[] = [];
  const loggerProvider = {
    getLogger: () => ({ enabled: () => false, emit: () => {} }),
    forceFlush: async () => void called.push("flush"),
    shutdown: async () => void called.push("shutdown"),
  };
  const { OpenTelemetryTracing } = await import("./open-telemetry-tracing.ts");
  const tracing = new OpenTelemetryTracing({ ...openSdk3().providers, loggerProvider });
  await tracing.flush();
  await tracing.shutdown();
  expect(called).toEqual(["flush", "shutdown"]);
});

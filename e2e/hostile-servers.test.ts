import { appendFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type HostileCase, hostileCases } from "../src/testing/hostile-cases.ts";
import { expectOutcome, hostileTable } from "../test/hostile-table.ts";
import { type HostileReport, meetHostileServer } from "../test/meet-hostile-server.ts";

const mebibyte = 1024 * 1024;

const meetings = (Object.keys(hostileTable) as HostileCase[]).flatMap((kind) =>
  hostileCases[kind].over.map((over) => ({ kind, over, does: hostileCases[kind].does })),
);

test.concurrent.each(meetings)(
  "$kind over $over: a server that $does does no harm",
  async ({ kind, over }) => {
    const { timeoutMs = 3_000, withinMs = 20_000, growthMiB = 30 } = hostileTable[kind];
    const report = await meetHostileServer(kind, over, { timeoutMs, withinMs });
    keepFigures(kind, over, report);
    expectOutcome(report, kind, over);
    expect(report.durationMs + report.closingMs).toBeLessThan(withinMs);
    expect(report.peakBytes).toBeLessThan(growthMiB * mebibyte);
    expect(report.healthyAnswer).toContain("unharmed");
    expect({ children: report.children, survivors: report.survivors }).toEqual({
      children: [],
      survivors: [],
    });
  },
  120_000,
);

/** With HOSTILE_FIGURES the figures go to that file, one line a meeting. */
function keepFigures(kind: string, over: string, report: HostileReport): void {
  const file = process.env["HOSTILE_FIGURES"];
  if (file !== undefined) {
    const { durationMs, closingMs, peakBytes } = report;
    const peak = (peakBytes / mebibyte).toFixed(1);
    appendFileSync(file, `${kind} ${over}: ${durationMs} + ${closingMs} ms, peak ${peak} MiB\n`);
  }
}

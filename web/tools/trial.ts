import type { AgUiContentPart } from "../../src/ag-ui/ag-ui-event.ts";
import type { RunEvent } from "../../src/agent/run-event.ts";
import type { ResultContent } from "../../src/message/content.ts";
import type { FileNote, ToolItem } from "../chat/chat-item.ts";
import { toContentPart } from "../chat/from-messages.ts";
import { fromWaiting, type Question } from "../chat/question.ts";

/** A call by hand, as far as it has come. */
export interface Trial {
  readonly runId: string;
  readonly status: "running" | "suspended" | "completed" | "failed" | "cancelled";
  readonly startedAt?: number;
  /** How long the tool took. */
  readonly tookMs?: number;
  readonly progress?: NonNullable<ToolItem["progress"]>;
  readonly questions: readonly Question[];
  readonly result?: {
    readonly isError: boolean;
    readonly code?: string;
    readonly parts: readonly AgUiContentPart[];
    readonly files: readonly FileNote[];
  };
  readonly error?: { readonly code: string; readonly message: string };
}

/** A call that was just asked for. */
export const newTrial = (runId: string): Trial => ({
  runId,
  status: "running",
  questions: [],
});

/** The call after an event of its run. */
export function takeTrialEvent(trial: Trial, event: RunEvent): Trial {
  switch (event.kind) {
    case "tool-start":
      return { ...trial, startedAt: event.time };
    case "tool-progress":
      return { ...trial, progress: event.progress };
    case "artifact-create": {
      const { id, mediaType, name, size } = event;
      const file = {
        id,
        mediaType,
        ...(name === undefined ? {} : { name }),
        ...(size === undefined ? {} : { size }),
      };
      const known = trial.result ?? { isError: false, parts: [], files: [] };
      return { ...trial, result: { ...known, files: [...known.files, file] } };
    }
    case "tool-end": {
      const { result, time } = event;
      const files = trial.result?.files ?? [];
      const parts = result.content.map((part: ResultContent) => toContentPart(part));
      const failed =
        result.kind === "error" ? { isError: true, code: result.error.code } : { isError: false };
      const took = trial.startedAt === undefined ? {} : { tookMs: time - trial.startedAt };
      return { ...trial, ...took, result: { ...failed, parts, files } };
    }
    case "run-suspend":
      return { ...trial, status: "suspended", questions: event.waitingFor.map(fromWaiting) };
    case "run-resume":
      return { ...trial, status: "running", questions: [] };
    case "run-end": {
      const { status, error } = event;
      return { ...trial, status, ...(error === undefined ? {} : { error }) };
    }
    default:
      return trial;
  }
}

import { styleText } from "node:util";
import yoctoSpinner, { type Spinner } from "yocto-spinner";
import type { RunEvent } from "../agent/run-event.ts";
import type { JsonObject } from "../base/json.ts";
import type { ToolResult } from "../tool/tool-result.ts";
import type { CliStreams } from "./cli-streams.ts";
import { terminalLine, terminalText } from "./terminal-text.ts";

/** Tells a person, or a program, what happens in a run. */
export interface RunReporter {
  report(event: RunEvent): void;
}

/** Every event as one line of JSON on standard output. */
export function jsonReporter({ stdout }: CliStreams): RunReporter {
  return { report: (event) => void stdout.write(`${JSON.stringify(event)}\n`) };
}

/** The answer alone on standard output. */
export function quietReporter({ stdout }: CliStreams): RunReporter {
  return {
    report(event) {
      if (event.kind === "run-end" && event.status === "completed") {
        stdout.write(`${terminalText(event.text)}\n`);
      }
    },
  };
}

/** A line for each thing that happens and the texts as they come; on a terminal with a spinner. */
export function lineReporter(streams: CliStreams): RunReporter {
  return new LineReporter(streams);
}

type Style = "red" | "green" | "yellow" | "dim" | "bold";

const longestLine = 160;

class LineReporter implements RunReporter {
  readonly #streams: CliStreams;
  readonly #spinner: Spinner | undefined;
  readonly #started = new Map<string, { readonly time: number; readonly call: string }>();
  #atLineStart = true;

  constructor(streams: CliStreams) {
    this.#streams = streams;
    const { stdout, stderr } = streams;
    this.#spinner =
      stdout.isTTY === true && stderr.isTTY === true
        ? yoctoSpinner({ stream: stderr as NodeJS.WriteStream }) // isTTY says so
        : undefined;
  }

  report(event: RunEvent): void {
    switch (event.kind) {
      case "run-start":
        this.#wait("connecting");
        return;
      case "notice":
        this.#line("yellow", "!", event.message, Number.POSITIVE_INFINITY);
        return;
      case "server-connect":
        this.#line("dim", "·", `${event.server}: connected, ${event.tools.length} tools`);
        return;
      case "server-fail":
        this.#line("red", "✗", `${event.server}: ${event.error.message}`, 1_000);
        return;
      case "model-start":
        this.#wait(`${event.model} is answering`);
        return;
      case "text-start":
        this.#spinner?.stop();
        return;
      case "text-delta":
        this.#write(terminalText(event.text));
        return;
      case "text-end":
        this.#endLine();
        return;
      default:
        this.#reportRest(event);
    }
  }

  #reportRest(event: RunEvent): void {
    switch (event.kind) {
      case "tool-start": {
        const call = callText(event.name, event.arguments);
        this.#started.set(event.id, { time: event.time, call });
        this.#wait(call);
        return;
      }
      case "tool-progress": {
        const { progress, total, message } = event.progress;
        const { call } = this.#started.get(event.id) ?? { call: "" };
        this.#wait(`${call} ${progress}${total === undefined ? "" : `/${total}`} ${message ?? ""}`);
        return;
      }
      case "tool-end":
        this.#reportOutcome(event);
        return;
      case "run-end":
        this.#spinner?.stop();
        this.#endLine();
        return;
      default: // the rest is for programs: --json shows it
    }
  }

  #reportOutcome(event: Extract<RunEvent, { kind: "tool-end" }>): void {
    const { id, time, name, result } = event;
    const started = this.#started.get(id) ?? { time, call: name };
    const duration = `${time - started.time} ms`;
    if (result.kind === "error") {
      this.#line(
        "red",
        "✗",
        `${started.call} failed after ${duration}: ${messageOfResult(result)}`,
      );
    } else {
      this.#line(
        "green",
        "✓",
        `${started.call} ${result.kind === "pending" ? "started" : "ok"}, ${duration}`,
      );
    }
  }

  #wait(what: string): void {
    if (this.#spinner !== undefined && this.#atLineStart) {
      this.#spinner.text = terminalLine(what, 80);
      if (!this.#spinner.isSpinning) {
        this.#spinner.start();
      }
    }
  }

  #line(style: Style, sign: string, text: string, longest: number = longestLine): void {
    this.#spinner?.stop();
    this.#endLine();
    const lines =
      longest === Number.POSITIVE_INFINITY ? terminalText(text) : terminalLine(text, longest);
    this.#write(`${this.#style(style, sign)} ${lines}\n`);
  }

  #style(style: Style, text: string): string {
    const { stdout } = this.#streams;
    return styleText(style, text, { stream: stdout });
  }

  #write(text: string): void {
    if (text !== "") {
      this.#streams.stdout.write(text);
      this.#atLineStart = text.endsWith("\n");
    }
  }

  #endLine(): void {
    if (!this.#atLineStart) {
      this.#write("\n");
    }
  }
}

function callText(name: string, given: JsonObject): string {
  const text = Object.entries(given)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
    .join(", ");
  return terminalLine(`${name}(${text})`, 100);
}

const messageOfResult = (result: ToolResult): string =>
  result.content.map((part) => (part.kind === "text" ? part.text : part.mediaType)).join(" ");

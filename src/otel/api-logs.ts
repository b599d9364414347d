import type { Context } from "@opentelemetry/api";
import * as api from "@opentelemetry/api";
import { version } from "../base/version.ts";
import type { Conventions } from "./conventions.ts";
import type { LoggedEvent } from "./span-sink.ts";

/** What gives loggers: the `LoggerProvider` of OpenTelemetry's API since 1.10, as far as it is used here. */
export interface EventLoggerProvider {
  getLogger(name: string, version?: string, options?: { readonly schemaUrl?: string }): EventLogger;
}

/** What takes log records. */
export interface EventLogger {
  enabled(options: { context: Context; severityNumber: number; eventName: string }): boolean;
  emit(record: {
    eventName?: string;
    severityNumber?: number;
    severityText?: string;
    /** JSON values by name. */
    attributes?: unknown;
    context?: Context;
  }): void;
}

/** Writes an event that happened in a span. @returns whether anybody takes it. */
export type LogEvent = (event: LoggedEvent, within: Context) => boolean;

/** Log records by OpenTelemetry's API. */
export function apiLogs(
  provider: () => EventLoggerProvider | undefined,
  { schemaUrl }: Conventions,
): LogEvent {
  let logger: EventLogger | undefined;
  return ({ name: eventName, severity, attributes }, context) => {
    logger ??= provider()?.getLogger("dragoman", version, { schemaUrl });
    const severityNumber = severityNumbers[severity];
    if (logger?.enabled({ context, severityNumber, eventName }) !== true) {
      return false;
    }
    const severityText = severity.toUpperCase();
    logger.emit({ eventName, severityNumber, severityText, attributes, context });
    return true;
  };
}

const severityNumbers: Readonly<Record<LoggedEvent["severity"], number>> = { debug: 5, warn: 13 };

/** The one that the application has registered; the API has none before 1.10. */
export const registeredLoggers = (): EventLoggerProvider | undefined =>
  "logs" in api ? api.logs.getLoggerProvider() : undefined;

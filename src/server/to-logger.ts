import type { Logger as PinoLogger } from "pino";
import type { Logger } from "../base/logger.ts";

/** A pino logger for `configure({ logger })`, so that a server and its agents have one log. */
export function toLogger(pino: PinoLogger): Logger {
  return {
    debug: (message, fields) => pino.debug(fields ?? {}, message),
    info: (message, fields) => pino.info(fields ?? {}, message),
    warn: (message, fields) => pino.warn(fields ?? {}, message),
    error: (message, fields) => pino.error(fields ?? {}, message),
  };
}

import { pino, type Logger, type LoggerOptions } from 'pino';
import type { LogLevel } from '../config/service-config';

/** Logs JSON lines to standard output, each with the service; those of a call also carry its trace. */
export function createLogger(service: string, level: LogLevel): Logger {
  const options: LoggerOptions = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  };
  // Synchronous: a line is written before the process can die, and a closed pipe cannot delay the exit.
  return pino(options, pino.destination({ dest: 1, sync: true }));
}

import { pino, type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import type { LogLevel } from '../config/service-config';
import { serializeError } from './serialize-error';

/** Creates a logger that writes JSON lines, each with the service's name, to standard output. */
export function createLogger(
  service: string,
  level: LogLevel,
  // Synchronous, so that a line is written before the process can die, and a closed pipe cannot delay the exit.
  destination: DestinationStream = pino.destination({ dest: 1, sync: true }),
): Logger {
  const options: LoggerOptions = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: (error: unknown) => error && serializeError(error) },
  };
  return pino(options, destination);
}

import { isSpanContextValid, trace } from '@opentelemetry/api';
import { pino, type Logger, type LoggerOptions } from 'pino';
import type { LogLevel } from './service-config';

/** JSON lines on standard output, each with the service and the trace it belongs to. */
export function createLogger(service: string, level: LogLevel): Logger {
  const options: LoggerOptions = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    mixin: activeTrace,
  };
  // Synchronous: a line is out before the process can die, and a closed pipe cannot hold up the exit.
  return pino(options, pino.destination({ dest: 1, sync: true }));
}

function activeTrace(): object {
  const span = trace.getActiveSpan()?.spanContext();
  return span && isSpanContextValid(span) ? { traceId: span.traceId } : {};
}

import type { Logger } from '../shared/logger';

/** Returns the logger with additional fields in every line, which are computed only when a line is written. */
export function withFields(log: Logger, commonFields: () => object): Logger {
  return {
    debug: (fields, message) => {
      // Every refused call logs at this level, which is rarely enabled.
      if (log.isLevelEnabled?.('debug') !== false)
        log.debug({ ...commonFields(), ...fields }, message);
    },
    info: (fields, message) => log.info({ ...commonFields(), ...fields }, message),
    warn: (fields, message) => log.warn({ ...commonFields(), ...fields }, message),
    error: (fields, message) => log.error({ ...commonFields(), ...fields }, message),
  };
}

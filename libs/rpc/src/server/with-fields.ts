import type { Logger } from '../shared/logger';

/** The same logger with further fields in every line, which are computed only when a line is written. */
export function withFields(log: Logger, fields: () => object): Logger {
  return {
    debug: (own, message) => {
      // Every refused call has such a line, which is rarely written.
      if (log.isLevelEnabled?.('debug') !== false) log.debug({ ...fields(), ...own }, message);
    },
    info: (own, message) => log.info({ ...fields(), ...own }, message),
    warn: (own, message) => log.warn({ ...fields(), ...own }, message),
    error: (own, message) => log.error({ ...fields(), ...own }, message),
  };
}

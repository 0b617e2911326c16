import type { AppError } from '@daycare/api';
import type { Logger } from '../shared/logger';

/** Logs why a call, or one request of a stream, failed; as an error only if the fault is ours. */
export function logFailure(log: Logger, error: AppError): void {
  const { code, cause } = error;
  if (code === 'INTERNAL') log.error({ code, err: cause ?? error }, 'call failed');
  else if (code === 'UNAVAILABLE') log.warn({ code, err: cause }, 'call failed');
  else log.debug({ code }, 'call refused');
}

import type { AppError } from '@daycare/api';
import { DaycareError } from '@daycare/client/errors';
import type { ServiceName } from '@daycare/local-stack/lookup';

/** A call that a service rejected or did not respond to, with its destination. */
export class CallFailure extends DaycareError {
  constructor(
    readonly service: ServiceName,
    readonly address: string,
    /** The context whose token was used. */
    readonly context: string,
    error: AppError,
    /** Whether the token came from DAYCARE_TOKEN, not from the context. */
    readonly isTokenFromEnvironment = false,
  ) {
    super(error);
  }
}

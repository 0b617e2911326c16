import type { AppError } from '@daycare/errors';
import type { ServiceName } from '@daycare/local-stack/lookup';

/** A call that a service refused or did not answer, with where it went. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure';

  constructor(
    readonly service: ServiceName,
    readonly address: string,
    /** Whose tokens were shown. */
    readonly context: string,
    readonly error: AppError,
  ) {
    super(error.message, { cause: error });
  }
}

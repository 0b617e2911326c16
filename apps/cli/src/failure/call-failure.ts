import type { AppError } from '@daycare/api';
import type { ServiceName } from '@daycare/local-stack/lookup';

/** What is known about the token of a call. */
export interface TokenStatus {
  /** It came from DAYCARE_TOKEN, not from the context. */
  readonly isGiven?: boolean;
  /** It was rejected, but has been renewed in the meantime. */
  readonly isRenewed?: boolean;
}

/** A call that a service rejected or did not answer, with its destination. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure';

  constructor(
    readonly service: ServiceName,
    readonly address: string,
    /** The context whose token was used. */
    readonly context: string,
    readonly error: AppError,
    readonly token: TokenStatus = {},
  ) {
    super(error.message, { cause: error });
  }
}

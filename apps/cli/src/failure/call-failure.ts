import type { AppError } from '@daycare/errors';
import type { ServiceName } from '@daycare/local-stack/lookup';

/** What is known of the token that was shown with a call. */
export interface ShownToken {
  /** It came from DAYCARE_TOKEN, not from the context. */
  readonly isGiven?: boolean;
  /** It was refused, and another has taken its place. */
  readonly isRenewed?: boolean;
}

/** A call that a service refused or did not answer, with where it went. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure';

  constructor(
    readonly service: ServiceName,
    readonly address: string,
    /** Whose tokens were shown. */
    readonly context: string,
    readonly error: AppError,
    readonly token: ShownToken = {},
  ) {
    super(error.message, { cause: error });
  }
}

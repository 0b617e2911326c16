import { AppError } from '@daycare/api';

/** The request did not fit into the model's window; it may fit after the conversation has been shortened. */
export class TooLongError extends AppError {
  constructor(cause?: unknown) {
    super(
      'FAILED_PRECONDITION',
      'the conversation is too long for the model',
      {},
      cause === undefined ? {} : { cause },
    );
  }
}

import { AppError } from '@daycare/errors';

/**
 * An error a person can act on: one sentence that says what is in the way and what to do. Launchers
 * print its message and nothing else.
 */
export function cannotStart(sentence: string, cause?: unknown): AppError {
  return new AppError('FAILED_PRECONDITION', sentence, {}, { cause });
}

/** The message of whatever was thrown. */
export function reasonOf(thrown: unknown): string {
  // By shape, not by class: an error may come from another realm, as all of Node's do inside Jest.
  const { message } = (thrown ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : String(thrown);
}

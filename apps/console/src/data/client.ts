import { connect, isDaycareError } from '@daycare/client/browser';
import { deleteStoredData } from './stored';
import { reloadConsole, pageUser } from './windows/page-user';

/**
 * The API client, acting as the person whose page this is. The gateway adds the token of the browser session if that
 * session still belongs to them.
 */
export const daycare = connect({ url: location.origin, expectedUser: pageUser });

/** An error message for people. */
export function describeError(error: unknown): string {
  if (isDaycareError(error, 'UNAVAILABLE', 'DEADLINE_EXCEEDED'))
    return 'Daycare cannot be reached at the moment. Try again.';
  if (isDaycareError(error)) return error.message;
  return error instanceof Error ? error.message : 'Something went wrong.';
}

/** Whether a call was cancelled because its result is no longer needed. */
export function isCancelled(error: unknown): boolean {
  return isDaycareError(error, 'CANCELLED');
}

/** Leaves the page if the session has ended or now belongs to another person; returns whether the page is left. */
export function leaveIfSignedOut(error: unknown): boolean {
  if (!isDaycareError(error, 'UNAUTHENTICATED')) return false;
  if (error.metadata['session'] === 'another_user') reloadConsole();
  else leave();
  return true;
}

/** Call this when the session has ended: deletes what is stored for the person and opens the sign-in page. */
export function leave(): void {
  deleteStoredData();
  location.assign('/sign-in');
}

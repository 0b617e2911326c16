import { connect, isDaycareError } from '@daycare/client/browser';
import { deleteStoredData } from './stored';
import { reloadConsole, pageUser } from './windows/page-user';

/**
 * The API client, acting as the person for whom this page was served. The gateway adds the browser session's token if
 * the session still belongs to that person.
 */
export const daycare = connect({ url: location.origin, expectedUser: pageUser });

/** Describes an error to the person. */
export function describeError(error: unknown): string {
  if (isDaycareError(error, 'UNAVAILABLE', 'DEADLINE_EXCEEDED', 'CANCELLED'))
    return 'Daycare cannot be reached right now. Try again.';
  if (isDaycareError(error)) return error.message;
  return error instanceof Error ? error.message : 'Something went wrong.';
}

/**
 * Leaves the page if the session has ended or now belongs to another person; returns whether the page is being left.
 */
export function leaveIfSignedOut(error: unknown): boolean {
  if (!isDaycareError(error, 'UNAUTHENTICATED')) return false;
  if (error.metadata['session'] === 'another_user') reloadConsole();
  else leave();
  return true;
}

/** Deletes everything that the console stores in this browser and opens the sign-in page, after a session has ended. */
export function leave(): void {
  deleteStoredData();
  location.assign('/sign-in');
}

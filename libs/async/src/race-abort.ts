import { onAbort } from './on-abort';

/**
 * Settles as the work does, or rejects with the signal's reason as soon as the signal aborts. The work itself
 * continues. Once the work has settled, no listener remains, so the signal may outlive any number of calls.
 */
export function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const release = onAbort(signal, () => reject(reasonOf(signal)));
    work.then(release, release);
    work.then(resolve, reject);
  });
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}

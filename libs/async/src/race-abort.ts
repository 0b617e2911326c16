import { onAbort } from './on-abort';

/**
 * Settles as the work does, or rejects with the signal's reason as soon as the signal aborts. The work
 * itself continues. Leaves no listener behind, so the signal may outlive any number of calls.
 */
export async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let release: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    release = onAbort(signal, () => reject(reasonOf(signal)));
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    release();
  }
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}

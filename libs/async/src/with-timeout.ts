/**
 * Settles as the work does, or rejects when the work takes too long. The work itself continues.
 * `AbortSignal.timeout` is not used because its timer cannot be cleared and does not keep the process alive.
 */
export function withTimeout<T>(
  work: Promise<T>,
  timeoutMs: number,
  toError: () => Error = () => new Error(`not done within ${timeoutMs} ms`),
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(toError()), timeoutMs);
    const stopTimer = (): void => clearTimeout(timer);
    work.then(stopTimer, stopTimer);
    work.then(resolve, reject);
  });
}

/** A lock that only one window of this browser can hold at a time. */
export interface HeldLock {
  readonly release: () => void;
}

/**
 * Waits until this window holds one of the locks, for which all windows of this browser compete. Resolves to undefined
 * if the signal is aborted first. The Web Locks API is missing only if the page was loaded over plain HTTP from
 * another machine; then every window acts as if it held the lock.
 */
export async function holdOneOf(
  names: readonly string[],
  signal: AbortSignal,
): Promise<HeldLock | undefined> {
  if (signal.aborted) return undefined;
  const { locks } = navigator as { locks?: LockManager };
  if (!locks) return { release: () => undefined };
  const granted = new AbortController();
  const waiting = AbortSignal.any([signal, granted.signal]);
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { signal: granted.signal });
    for (const name of names)
      locks
        .request(name, { signal: waiting }, () => {
          // Two locks may be granted at the same time; only the first is kept.
          if (waiting.aborted) return undefined;
          granted.abort();
          return new Promise<void>((release) => resolve({ release }));
        })
        .catch(() => undefined);
  });
}

/** Reports whether this window or another one is waiting for one of the locks. */
export async function isWanted(names: readonly string[]): Promise<boolean> {
  const { locks } = navigator as { locks?: LockManager };
  if (!locks) return false;
  const { pending = [] } = await locks.query();
  return pending.some(({ name }) => name !== undefined && names.includes(name));
}

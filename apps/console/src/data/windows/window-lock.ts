/** What this browser allows one window at a time to hold; released by the returned function. */
export interface HeldLock {
  readonly release: () => void;
}

/**
 * Waits until this window holds one of the locks, which it shares with the other windows of this browser. Undefined when the
 * signal ended it first. Without locks, which only plaintext from another machine lacks, every window holds them all.
 */
export async function holdOneOf(
  names: readonly string[],
  signal: AbortSignal,
): Promise<HeldLock | undefined> {
  if (signal.aborted) return undefined;
  const { locks } = navigator as { locks?: LockManager };
  if (!locks) return { release: () => undefined };
  const settled = new AbortController();
  const waiting = AbortSignal.any([signal, settled.signal]);
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { signal: settled.signal });
    for (const name of names)
      locks
        .request(name, { signal: waiting }, () => {
          // Two may be granted at once.
          if (waiting.aborted) return undefined;
          settled.abort();
          return new Promise<void>((release) => resolve({ release }));
        })
        .catch(() => undefined);
  });
}

/** Whether another window waits for one of the locks. */
export async function isWanted(names: readonly string[]): Promise<boolean> {
  const { locks } = navigator as { locks?: LockManager };
  if (!locks) return false;
  const { pending = [] } = await locks.query();
  return pending.some(({ name }) => name !== undefined && names.includes(name));
}

import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  readonly intervalMs: number;
  /** How long the count may remain unchanged. */
  readonly maxStallMs: number;
}

/**
 * Polls until nothing is left; throws with the remaining count if it has not changed for too long.
 */
export async function waitUntilNoneLeft(
  countLeft: () => Promise<number>,
  { intervalMs, maxStallMs }: WaitOptions,
): Promise<void> {
  let before = Infinity;
  let changedMs = performance.now();
  for (let left = await countLeft(); left > 0; left = await countLeft()) {
    if (left !== before) changedMs = performance.now();
    else if (performance.now() - changedMs > maxStallMs)
      throw new Error(`${left} accepted operations were not finished`);
    before = left;
    await delay(intervalMs);
  }
}

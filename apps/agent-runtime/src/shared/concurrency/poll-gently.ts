const restFactor = 9;
const maxRestMs = 10_000;

/**
 * Polls again and again until the returned function is called, one poll at a time. Rests nine times as long
 * as the last poll took, within bounds, so that a long one does not keep the database busy. `poll` never rejects.
 */
export function pollGently(poll: () => Promise<void>, pollMs: number): () => void {
  let isStopped = false;
  let timer: NodeJS.Timeout;
  const rest = (ms: number): void => {
    if (!isStopped) timer = setTimeout(() => void pollOnce(), ms);
  };
  const pollOnce = async (): Promise<void> => {
    const startedAt = performance.now();
    await poll();
    const tookMs = performance.now() - startedAt;
    rest(Math.max(pollMs, Math.min(maxRestMs, restFactor * tookMs)));
  };
  rest(pollMs);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

const checkEveryMs = 20;

/** Waits until a condition holds, at most until the timeout. */
export async function waitUntil(condition: () => boolean, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!condition() && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, checkEveryMs));
}

import { describe, expect, it } from '@jest/globals';
import { eventually } from './eventually';

describe('eventually', () => {
  it('returns the check’s result once the check passes', async () => {
    let calls = 0;
    const answer = await eventually(() => (++calls < 3 ? undefined : calls), { intervalMs: 1 });
    expect(answer).toBe(3);
  });

  it('repeats a check that throws', async () => {
    let calls = 0;
    await eventually(
      () => {
        if (++calls < 3) throw new Error('not yet');
        return true;
      },
      { intervalMs: 1 },
    );
    expect(calls).toBe(3);
  });

  it('accepts zero, null and the empty string as results', async () => {
    expect(await eventually(() => 0)).toBe(0);
    expect(await eventually(() => null)).toBeNull();
    expect(await eventually(() => '')).toBe('');
  });

  it('rejects with the last failure as the cause when time is up', async () => {
    const cause = new Error('still three');
    const failing = eventually(() => Promise.reject(cause), { timeoutMs: 20, intervalMs: 1 });
    await expect(failing).rejects.toMatchObject({
      message: 'did not hold within 20 ms: still three',
      cause,
    });
  });

  it('rejects with a message that states that the check returned false', async () => {
    const failing = eventually(() => false, { timeoutMs: 5, intervalMs: 1 });
    await expect(failing).rejects.toThrow('did not hold within 5 ms: the check returned false');
  });
});

import { describe, expect, it } from '@jest/globals';
import { DaycareError, type ErrorReason } from '../transport/daycare-error';
import type { ResumeOptions } from '../transport/transport';
import { resume } from './resume';

const timing = { backoff: { firstMs: 0, maxMs: 0 }, now: () => 0 };

/**
 * Follows a stream that yields one item each time it is opened and then fails with the next of `endings`, or ends
 * normally if that is undefined. Returns the items.
 */
async function follow(endings: (ErrorReason | undefined)[], options: ResumeOptions = {}) {
  const seen: number[] = [];
  const open = async function* () {
    const code = endings.shift();
    yield seen.length + 1;
    if (code) throw new DaycareError({ code, message: 'Interrupted', details: {} });
  };
  for await (const item of resume(open, options, timing)) seen.push(item);
  return seen;
}

describe('resume', () => {
  it('reopens a stream and reports each lost connection once, but does not report a renewed token', async () => {
    let disconnects = 0;
    const endings = ['UNAVAILABLE', 'UNAUTHENTICATED', 'CANCELLED', undefined] as const;
    const seen = await follow([...endings], { onDisconnect: () => (disconnects += 1) });
    expect([seen, disconnects]).toEqual([[1, 2, 3, 4], 2]);
  });

  it('throws a permanent error, or the error of a lost connection after which the stream may not be resumed', async () => {
    await expect(follow(['NOT_FOUND'])).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    const mayResume = () => false;
    await expect(follow(['UNAVAILABLE'], { mayResume })).rejects.toThrow('Interrupted');
    expect(await follow(['UNAUTHENTICATED', undefined], { mayResume })).toEqual([1, 2]);
  });
});

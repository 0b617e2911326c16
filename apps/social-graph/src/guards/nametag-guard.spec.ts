import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { AppError, notFound } from '@daycare/api';
import { fullLookups, noLookups, type Lookups } from '../usecases/lookups';
import { LookupQueue, makeGuardLookups, type GuardLookups } from './nametag-guard';

const nothing = async (): Promise<void> => undefined;
const noWork = { nametags: nothing, ids: nothing, reads: nothing };
const unknown = async (): Promise<never> => {
  throw notFound('nametag');
};
const refused = async (): Promise<never> => {
  throw new AppError('FAILED_PRECONDITION', 'You are not friends');
};
const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'OK',
    (error: unknown) => (error as AppError).code,
  );

/** Makes calls with the names `otter1`, `otter2` and so on. */
function callsOf(guard: GuardLookups, userId: string, count: number, work: () => Promise<unknown>) {
  const names = Array.from({ length: count }, (_, index) => `otter${index + 1}`);
  return Promise.all(names.map((name) => codeOf(guard({ userId, name }, work))));
}

describe('guardLookups', () => {
  it('looks up no new names for a user who has used too many unknown nametags', async () => {
    const guard = makeGuardLookups(3, noWork);
    expect(await callsOf(guard, 'eve', 3, unknown)).toEqual([
      'NOT_FOUND',
      'NOT_FOUND',
      'NOT_FOUND',
    ]);
    let lookups = 0;
    const existing = async (): Promise<void> => void (lookups += 1);
    await expect(guard({ userId: 'eve', name: 'fox1' }, existing)).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      message: expect.stringMatching(/try again after 20.*Z$/),
      details: { retryAfterMs: expect.any(Number) },
    });
    expect(lookups).toBe(0);
    expect(await codeOf(guard({ userId: 'ada', name: 'fox1' }, existing))).toBe('OK');
  });

  it('returns UNAVAILABLE for hidden and for unknown nametags while identity cannot be reached', async () => {
    const unreachable = async (): Promise<never> => {
      throw new AppError('UNAVAILABLE', 'identity is unavailable');
    };
    const guard = makeGuardLookups(3, { ...noWork, nametags: unreachable, ids: unreachable });
    const unknownName = codeOf(guard({ userId: 'eve', name: 'otter1' }, unreachable));
    const hiddenSubuser = codeOf(guard({ userId: 'eve', name: 'fox1' }, unknown));
    expect(await Promise.all([unknownName, hiddenSubuser])).toEqual(['UNAVAILABLE', 'UNAVAILABLE']);
  });

  it('looks up no more concurrent guesses than consecutive ones', async () => {
    const guard = makeGuardLookups(5, noWork);
    let lookups = 0;
    const guess = async (): Promise<never> => {
      lookups += 1;
      return unknown();
    };
    const codes = await callsOf(guard, 'eve', 200, guess);
    expect(codes.filter((code) => code === 'NOT_FOUND')).toHaveLength(5);
    expect(codes.filter((code) => code === 'QUOTA_EXCEEDED')).toHaveLength(195);
    expect(lookups).toBe(5);
  });

  it('asks a user to wait no longer after a burst of guesses than after consecutive ones', async () => {
    const guard = makeGuardLookups(60, noWork);
    await callsOf(guard, 'eve', 200, unknown);
    const failure = guard({ userId: 'eve', name: 'fox1' }, unknown).catch(
      (error: unknown) => error,
    );
    const { details } = (await failure) as AppError;
    expect(details.retryAfterMs).toBeLessThanOrEqual(1_000);
  });

  it('refuses none of many concurrent calls with names that exist', async () => {
    const guard = makeGuardLookups(5, noWork);
    const codes = await callsOf(guard, 'ada', 200, () => delay(1));
    expect(new Set(codes)).toEqual(new Set(['OK']));
  });

  it('counts concurrent calls with the same name as one guess, so none of them waits', async () => {
    const guard = makeGuardLookups(1, noWork);
    let inProgress = 0;
    let maxInProgress = 0;
    const work = async (): Promise<void> => {
      maxInProgress = Math.max(maxInProgress, (inProgress += 1));
      await delay(1);
      inProgress -= 1;
    };
    const target = { userId: 'ada', name: 'otter1' };
    await Promise.all(Array.from({ length: 50 }, () => guard(target, work)));
    expect(maxInProgress).toBe(50);
  });

  it('lets a user whose budget is used up still use names that were found before', async () => {
    const guard = makeGuardLookups(2, noWork);
    const friend = { userId: 'eve', name: 'Fox1 ' };
    expect(await codeOf(guard(friend, refused))).toBe('FAILED_PRECONDITION');
    expect(await callsOf(guard, 'eve', 2, unknown)).toEqual(['NOT_FOUND', 'NOT_FOUND']);
    expect(await codeOf(guard({ userId: 'eve', name: 'fox1' }, nothing))).toBe('OK');
    expect(await codeOf(guard({ userId: 'eve', name: 'fox1' }, unknown))).toBe('NOT_FOUND');
    expect(await codeOf(guard({ userId: 'eve', name: 'fox1' }, unknown))).toBe('QUOTA_EXCEEDED');
  });

  it('counts the name of the caller’s own subuser, if it is an unknown nametag, as one guess, however often it is used', async () => {
    const guard = makeGuardLookups(2, noWork);
    const ownSubuser = async (lookups: Lookups): Promise<void> => {
      lookups.isUnknownNametag = true;
    };
    const send = (name: string) => codeOf(guard({ userId: 'eve', name }, ownSubuser));
    for (const name of ['otter1', 'otter1', 'otter2', 'otter1'])
      expect(await send(name)).toBe('OK');
    expect(await send('otter3')).toBe('QUOTA_EXCEEDED');
    expect(await send('otter2')).toBe('OK');
  });

  it('neither counts a call that fails with UNAVAILABLE as a guess nor remembers its name', async () => {
    const guard = makeGuardLookups(1, noWork);
    const unavailable = async (): Promise<never> => {
      throw new AppError('UNAVAILABLE', 'Try again');
    };
    const target = { userId: 'eve', name: 'fox1' };
    expect(await codeOf(guard(target, unavailable))).toBe('UNAVAILABLE');
    expect(await codeOf(guard(target, unknown))).toBe('NOT_FOUND');
    expect(await codeOf(guard(target, nothing))).toBe('QUOTA_EXCEEDED');
  });

  it('starts queued calls in order, even if one of them waits for another', async () => {
    const guard = makeGuardLookups(1, noWork);
    await guard({ userId: 'ada', name: 'friend1' }, nothing);
    const queue = new LookupQueue();
    const begun: string[] = [];
    const call = (name: string) =>
      guard({ userId: 'ada', name, queue }, async () => {
        begun.push(name);
        await delay(1);
      });
    const names = ['otter1', 'otter2', 'friend1', 'otter2', 'otter1', 'friend1'];
    await Promise.all(names.map(call));
    expect(begun).toEqual(names);
  });

  it('starts no queued call after a refused one', async () => {
    const guard = makeGuardLookups(1, noWork);
    await guard({ userId: 'ada', name: 'friend1' }, nothing);
    await codeOf(guard({ userId: 'ada', name: 'otter1' }, unknown));
    const queue = new LookupQueue();
    const call = (name: string) => codeOf(guard({ userId: 'ada', name, queue }, nothing));
    const codes = await Promise.all(['friend1', 'otter2', 'friend1'].map(call));
    expect(codes).toEqual(['OK', 'QUOTA_EXCEEDED', 'QUOTA_EXCEEDED']);
  });

  it.each([
    ['a nametag that does not exist', { nametags: 1 }],
    ['a hidden subuser that is not cached', { nametags: 1, ids: 1, reads: 1 }],
    ['a hidden subuser whose owner is cached', { nametags: 1, reads: 2 }],
    ['a hidden subuser that is cached', { reads: 1 }],
  ])(
    'makes the same look-ups for %s as for any other name that is not found',
    async (_, ownLookups: Partial<Lookups>) => {
      const allLookups = noLookups();
      const fillers = {
        nametags: async () => void (allLookups.nametags += 1),
        ids: async () => void (allLookups.ids += 1),
        reads: async () => void (allLookups.reads += 1),
      };
      const guard = makeGuardLookups(10, fillers);
      const work = async (lookups: Lookups): Promise<never> => {
        Object.assign(lookups, ownLookups);
        Object.assign(allLookups, ownLookups);
        return unknown();
      };
      await codeOf(guard({ userId: 'eve', name: 'fox1' }, work));
      expect(allLookups).toEqual(fullLookups);
    },
  );

  it('makes additional look-ups only for calls that end with NOT_FOUND', async () => {
    const fail = async (): Promise<never> => Promise.reject(new Error('not expected'));
    const guard = makeGuardLookups(10, { nametags: fail, ids: fail, reads: fail });
    expect(await codeOf(guard({ userId: 'ada', name: 'fox1' }, refused))).toBe(
      'FAILED_PRECONDITION',
    );
    expect(await codeOf(guard({ userId: 'ada', name: 'fox1' }, nothing))).toBe('OK');
  });

  it('delays NOT_FOUND until at least the next multiple of a fixed interval, however long the look-up took', async () => {
    const guard = makeGuardLookups(10, noWork);
    for (const workMs of [0, 10, 40, 70]) {
      const startedAt = performance.now();
      const slow = () => delay(workMs).then(unknown);
      await codeOf(guard({ userId: 'eve', name: 'fox1' }, slow));
      const tookMs = performance.now() - startedAt;
      const steps = Math.ceil(workMs / 30) || 1;
      expect(tookMs).toBeGreaterThanOrEqual(steps * 30 - 2);
    }
  });

  it('does not count a call as a guess when its name was found', async () => {
    const guard = makeGuardLookups(1, noWork);
    const target = { userId: 'ada', name: 'fox1' };
    for (let calls = 0; calls < 5; calls += 1)
      expect(await codeOf(guard(target, refused))).toBe('FAILED_PRECONDITION');
    expect(await codeOf(guard(target, nothing))).toBe('OK');
  });
});

import { afterEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@daycare/api';
import { TopologyFormat } from '@daycare/contracts/topology';
import { eventually } from '@daycare/testing';
import { makeMany } from '../../test-support/test-facts';
import { openTestWatch, patternsOf, type TestWatch } from '../../test-support/test-watch';
import type { WorldSize } from '../../test-support/test-world';
import type { TopologyPage } from './get-topology';
import type { WatchTopologyDeps } from './watch-topology';

let opened: TestWatch[] = [];
afterEach(async () => {
  await Promise.all(opened.map((test) => test.close()));
  opened = [];
});

const small = { subusers: 0, friends: 0, agents: 1 };
const never = 3_600_000;

async function open(
  timing: Partial<Pick<WatchTopologyDeps, 'pollMs' | 'gatherMs'>> = {},
  size: WorldSize = small,
): Promise<TestWatch> {
  const test = await openTestWatch(size, { pollMs: never, gatherMs: 1, ...timing });
  opened.push(test);
  return test;
}

async function nextOf(stream: AsyncGenerator<TopologyPage>): Promise<TopologyPage> {
  const { value } = (await stream.next()) as IteratorResult<TopologyPage, undefined>;
  if (!value) throw new Error('the stream has ended');
  return value;
}

describe('watchTopology', () => {
  it('watching a topology yields the current view first, then every change', async () => {
    const { watch, change, hint } = await open();
    const stream = watch();
    const first = await nextOf(stream);
    expect(first.text).toContain('You are swiftfox42 (user u1)');
    const second = nextOf(stream);
    const pattern = change();
    hint();
    expect(patternsOf(await second)).toEqual([pattern]);
    expect((await second).revision).not.toBe(first.revision);
  });

  it('watching a topology yields nothing when a hint arrives but nothing has changed', async () => {
    const { watch, change, hint, composed } = await open();
    const stream = watch();
    await nextOf(stream);
    const next = nextOf(stream);
    hint();
    await eventually(() => composed() === 2);
    const pattern = change();
    hint();
    expect(patternsOf(await next)).toEqual([pattern]);
  });

  it('watching a topology shows a change even when its hint is lost', async () => {
    const { watch, change } = await open({ pollMs: 30 });
    const stream = watch();
    await nextOf(stream);
    const pattern = change();
    expect(patternsOf(await nextOf(stream))).toEqual([pattern]);
  });

  it('watching a topology polls when the view is due to change merely because time passes', async () => {
    const { watch, change } = await open({}, { ...small, changesInMs: 30 });
    const stream = watch();
    await nextOf(stream);
    const pattern = change();
    expect(patternsOf(await nextOf(stream))).toEqual([pattern]);
  });

  it('watching a topology combines changes in quick succession into one view', async () => {
    const { watch, change, hint, composed } = await open({ gatherMs: 200 });
    const stream = watch();
    await nextOf(stream);
    const next = nextOf(stream);
    const changes = makeMany(50, () => {
      hint();
      return change();
    });
    expect(patternsOf(await next)).toEqual(changes.slice(-1));
    expect(composed()).toBe(2);
  });

  it('watching a topology again from a known revision yields nothing until the view differs from it', async () => {
    const { watch, change, hint, composed } = await open();
    const { revision: afterRevision } = await nextOf(watch());
    const resumed = nextOf(watch({ afterRevision }));
    await eventually(() => composed() === 2);
    const pattern = change();
    hint();
    const { revision } = await resumed;
    expect(patternsOf(await resumed)).toEqual([pattern]);
    change();
    expect((await nextOf(watch({ afterRevision: revision }))).revision).not.toBe(revision);
  });

  it('watching a topology misses no change between two polls or between two streams', async () => {
    const { watch, change, hint } = await open();
    let afterRevision = '';
    for (let round = 0; round < 20; round += 1) {
      const stream = watch({ afterRevision });
      const pattern = change();
      if (round % 2 === 0) hint();
      const page = await nextOf(stream);
      expect(patternsOf(page)).toEqual([pattern]);
      afterRevision = page.revision;
      await stream.return(undefined);
    }
  });
});

describe('slow readers', () => {
  it('a slow reader of a watch gets the newest view next, and skips those in between', async () => {
    const { watch, change, hint, composed } = await open();
    const stream = watch();
    await nextOf(stream);
    for (let count = 0; count < 500; count += 1) change();
    hint();
    expect(composed()).toBe(1);
    const pattern = change();
    expect(patternsOf(await nextOf(stream))).toEqual([pattern]);
    expect(composed()).toBe(2);
  });

  it('a slow reader of a watch is sent no more views than its buffers can hold', async () => {
    const { serve, change, hint, composed } = await open({}, { ...small, friends: 500 });
    const client = await serve();
    const options = { timeoutMs: 60_000 };
    const format = TopologyFormat.UNSPECIFIED;
    const request = { afterRevision: '', pageSize: 1_000, includeDead: false, format };
    const stream = client.watchTopology(request, options)[Symbol.asyncIterator]();
    await stream.next();
    let newest = '';
    const isBlocked = async (): Promise<boolean> => {
      const composedBefore = composed();
      newest = change();
      hint();
      // The timeout is longer than it takes to compose a view while there is buffer space.
      return eventually(() => composed() > composedBefore, { timeoutMs: 500 }).then(
        () => false,
        () => true,
      );
    };
    await eventually(isBlocked, { intervalMs: 0 });
    for (let count = 0; count < 1_000; count += 1) change();
    await eventually(isBlocked, { intervalMs: 0 });
    // As many views as the client's own buffers hold, and one more; without flow control, twice as many.
    expect(composed()).toBeLessThan(35);
    for (let seen = ''; !seen.includes(`pattern=${newest} `);) {
      const { value } = (await stream.next()) as IteratorYieldResult<{ text: string }>;
      seen = value.text;
    }
    await stream.return?.();
  });
});

describe('the end of a watch', () => {
  const outcomeOf = async (stream: AsyncGenerator<TopologyPage>): Promise<unknown> =>
    stream.next().then(({ done }) => (done ? 'ended' : 'continued'));

  it('a watch ends without an error when the caller disconnects', async () => {
    const { watch } = await open();
    const caller = new AbortController();
    const stream = watch({ signal: caller.signal });
    await nextOf(stream);
    const end = outcomeOf(stream);
    caller.abort();
    expect(await end).toBe('ended');
  });

  it('a watch ends with UNAVAILABLE when the service stops, so that the caller reconnects elsewhere', async () => {
    const { watch, stopService } = await open();
    const stream = watch();
    await nextOf(stream);
    const end = outcomeOf(stream);
    stopService();
    await expect(end).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('a watch ends with UNAUTHENTICATED once the caller’s credential expires', async () => {
    const { watch } = await open({ pollMs: 20 });
    let isValid = true;
    const recheck = async (): Promise<void> => {
      if (!isValid) throw new AppError('UNAUTHENTICATED', 'The token is invalid');
    };
    const stream = watch({ recheck });
    await nextOf(stream);
    isValid = false;
    await expect(outcomeOf(stream)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('a watch ends with NOT_FOUND for a deleted user', async () => {
    const { watch } = await open();
    const stream = watch({ viewer: { userId: 'gone1' } });
    await expect(outcomeOf(stream)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('a watch with an invalid page size is refused with INVALID_ARGUMENT', async () => {
    const { watch } = await open();
    await expect(outcomeOf(watch({ pageSize: 1_001 }))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });
});

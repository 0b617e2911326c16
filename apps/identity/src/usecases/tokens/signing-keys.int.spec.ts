import { expect, it } from '@jest/globals';
import { DatabaseClock } from '@daycare/mongo';
import { useFixture } from '@daycare/testing/jest';
import { SigningKeyStore } from '../../store/signing-key-store';
import { openTestUsers } from '../../test-support/test-users';
import { SigningKeys } from './signing-keys';

const fixture = useFixture(openTestUsers);
const minuteMs = 60_000;
const policy = {
  rotateEveryMs: 10 * minuteMs,
  announceMs: 1_000,
  tokenLifetimeMs: 15 * minuteMs,
};

it('a replica whose clock is ahead removes no key whose tokens are still valid, and creates none early', async () => {
  const { db } = fixture.mongo;
  const keys = new SigningKeyStore(db);
  const replica = async (aheadMs: number) => {
    const clock = new DatabaseClock(db, () => Date.now() + aheadMs);
    const now = (): Date => clock.now();
    const syncClock = (): Promise<void> => clock.sync();
    const one = new SigningKeys({ keys, policy, now, syncClock, onFailure: () => undefined });
    await one.poll();
    return one;
  };
  const right = await replica(0);
  await right.rotate('r1', false);
  const before = (await keys.list()).map(({ id }) => id);
  expect(before).toHaveLength(2);
  await replica(20 * minuteMs);
  expect((await keys.list()).map(({ id }) => id)).toEqual(before);
});

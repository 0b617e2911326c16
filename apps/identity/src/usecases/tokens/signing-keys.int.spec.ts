import { expect, it } from '@jest/globals';
import { DatabaseClock } from '@daycare/mongo';
import { useFixture } from '@daycare/testing/jest';
import { SigningKeyStore, type StoredKey } from '../../store/signing-key-store';
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
    const onFailure = (): undefined => undefined;
    const signingKeys = new SigningKeys({ keys, policy, now, syncClock, onFailure });
    await signingKeys.poll();
    return signingKeys;
  };
  const punctual = await replica(0);
  await punctual.rotate('r1', false);
  const before = (await keys.list()).map(({ id }) => id);
  expect(before).toHaveLength(2);
  await replica(20 * minuteMs);
  expect((await keys.list()).map(({ id }) => id)).toEqual(before);
});

it('a key that another replica removes is no longer published or used a second later', async () => {
  const keys = new SigningKeyStore(fixture.mongo.db);
  let nowMs = 0;
  const deps = { keys, policy, now: () => new Date(), onFailure: () => undefined };
  const [first, second] = [new SigningKeys(deps), new SigningKeys({ ...deps, nowMs: () => nowMs })];
  await first.poll();
  await second.poll();
  const { id } = await first.rotate('r2', true);
  const publishedIds = () => second.publicKeys().keys.map(({ kid }) => kid);
  nowMs += 999;
  await second.refresh();
  expect(publishedIds()).not.toEqual([id]);
  nowMs += 1;
  expect((await second.signingKey()).id).toBe(id);
  expect(publishedIds()).toEqual([id]);
});

it('the last known signing keys remain in use while keys cannot be read, and the failure is reported', async () => {
  let isDown = false;
  class UnreliableStore extends SigningKeyStore {
    override async list(): Promise<StoredKey[]> {
      if (isDown) throw new Error('the database is down');
      return super.list();
    }
  }
  const keys = new UnreliableStore(fixture.mongo.db);
  const failures: unknown[] = [];
  let nowMs = 0;
  const onFailure = (error: unknown): void => void failures.push(error);
  const now = (): Date => new Date();
  const signing = new SigningKeys({ keys, policy, now, onFailure, nowMs: () => nowMs });
  await signing.poll();
  const { id } = await signing.signingKey();
  isDown = true;
  nowMs += 5_000;
  expect((await signing.signingKey()).id).toBe(id);
  expect(failures).toHaveLength(1);
});

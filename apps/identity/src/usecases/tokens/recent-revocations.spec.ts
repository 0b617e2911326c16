import { expect, it } from '@jest/globals';
import type { Revocation } from '../../store/revocation-store';
import { RecentRevocations } from './recent-revocations';

const revocationOf = (id: string): Revocation => ({ id, expiresAt: new Date(0) });

/** A list that grows by one with every query; queries wait until they are answered. */
function open() {
  const clock = { ms: 0 };
  const answers: (() => void)[] = [];
  const revocations = {
    list: (): Promise<Revocation[]> => {
      const list = Array.from({ length: answers.length + 1 }, (_, n) => revocationOf(`${n}`));
      return new Promise((resolve) => answers.push(() => resolve(list)));
    },
  };
  const deps = { revocations, now: () => new Date(), nowMs: () => clock.ms };
  return { recent: new RecentRevocations(deps), clock, answers };
}

it('shares one query for a second, counted from before it was sent', async () => {
  const { recent, clock, answers } = open();
  const first = recent.list();
  clock.ms = 400;
  answers[0]?.();
  expect(await first).toHaveLength(1);
  clock.ms = 999;
  expect(await recent.list()).toHaveLength(1);
  clock.ms = 1_000;
  const second = recent.list();
  answers[1]?.();
  expect(await second).toHaveLength(2);
});

it('keeps the result of the later query when an earlier one is answered after it', async () => {
  const { recent, clock, answers } = open();
  const earlier = recent.read();
  clock.ms = 10;
  const later = recent.read();
  answers[1]?.();
  expect(await later).toHaveLength(2);
  answers[0]?.();
  await earlier;
  expect(await recent.list()).toHaveLength(2);
});

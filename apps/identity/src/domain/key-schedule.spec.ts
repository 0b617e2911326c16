import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { longestTokenLifetimeMs, planKeys, type KeyPolicy, type KeyTimes } from './key-schedule';

const policy: KeyPolicy = { rotateEveryMs: 10_000, announceMs: 1_000, tokenLifetimeMs: 3_000 };
const at = (ms: number): Date => new Date(ms);
const key = (generation: number, createdMs: number, activeMs: number): KeyTimes => ({
  id: `k${generation}`,
  generation,
  createdAt: at(createdMs),
  activeFrom: at(activeMs),
  maxTokenMs: 3_000,
});

describe('planKeys without a key', () => {
  it('the first key is due immediately and signs immediately', () => {
    const plan = planKeys([], policy, at(5));
    expect(plan).toEqual({
      signing: undefined,
      published: [],
      retired: [],
      due: { generation: 1, activeFrom: at(5) },
    });
  });
});

describe('key rotation', () => {
  const first = key(1, 0, 0);

  it('the next key is due exactly when the newest one reaches the rotation age', () => {
    expect(planKeys([first], policy, at(9_999)).due).toBeUndefined();
    expect(planKeys([first], policy, at(10_000)).due).toEqual({
      generation: 2,
      activeFrom: at(11_000),
    });
  });

  it('a key is published before it signs', () => {
    const plan = planKeys([first, key(2, 10_000, 11_000)], policy, at(10_999));
    expect(plan.signing?.id).toBe('k1');
    expect(plan.published.map(({ id }) => id)).toEqual(['k1', 'k2']);
  });

  it('a new key takes over on time, and the old one stays published until its last token has expired', () => {
    const keys = [first, key(2, 10_000, 11_000)];
    expect(planKeys(keys, policy, at(11_000)).signing?.id).toBe('k2');
    expect(planKeys(keys, policy, at(14_000)).retired).toEqual([]);
    expect(planKeys(keys, policy, at(14_001)).retired).toEqual([first]);
  });
});

describe('key rotation with arbitrary pauses', () => {
  it('the key of every valid token is published, and every key but the first was announced long enough before it signed', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(8_000), { minLength: 1, maxLength: 60 }), (steps) => {
        let keys: KeyTimes[] = [];
        let now = 0;
        const issued: { id: string; expiresAt: number }[] = [];
        for (const step of steps) {
          now += step;
          const { due, retired } = planKeys(keys, policy, at(now));
          if (due) keys.push({ ...key(due.generation, now, now), ...due });
          keys = keys.filter((each) => !retired.includes(each));
          const { signing, published } = planKeys(keys, policy, at(now));
          const announcedMs = signing!.activeFrom.getTime() - signing!.createdAt.getTime();
          expect(signing!.generation === 1 || announcedMs >= policy.announceMs).toBe(true);
          issued.push({ id: signing!.id, expiresAt: now + policy.tokenLifetimeMs });
          const live = issued.filter(({ expiresAt }) => expiresAt > now).map(({ id }) => id);
          expect(published.map(({ id }) => id)).toEqual(expect.arrayContaining(live));
        }
      }),
    );
  });
});

describe('lifetimes that differ between replicas or change', () => {
  const [old, young] = [{ ...key(1, 0, 0), maxTokenMs: 60_000 }, key(2, 10_000, 11_000)];

  it('a key stays published until the longest-lived token that it may have signed has expired', () => {
    expect(planKeys([old, young], policy, at(71_000)).retired).toEqual([]);
    expect(planKeys([old, young], policy, at(71_001)).retired).toEqual([old]);
  });

  it('the longest token lifetime is the longest of those recorded with the keys and the one configured on this replica', () => {
    expect(longestTokenLifetimeMs([old, young], policy)).toBe(60_000);
    expect(longestTokenLifetimeMs([young], { ...policy, tokenLifetimeMs: 5_000 })).toBe(5_000);
  });
});

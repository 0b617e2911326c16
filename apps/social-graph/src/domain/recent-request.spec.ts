import { describe, expect, it } from '@jest/globals';
import { findEarlier, refuseReuse, remember, type RecentRequest } from './recent-request';

const start = new Date('2026-01-01T00:00:00Z');
const dayMs = 24 * 60 * 60 * 1000;
const made = (id: string, more: Partial<RecentRequest> = {}): RecentRequest => ({
  by: 'low',
  id,
  command: 'add',
  answer: 'requested',
  at: start,
  ...more,
});

describe('the memory of requests', () => {
  it('finds what was answered to the same command of the same side', () => {
    const recent = [made('r1'), made('r2', { by: 'high' })];
    expect(findEarlier(recent, 'low', 'r1', 'add')).toBe(recent[0]);
    expect(findEarlier(recent, 'high', 'r2', 'add')).toBe(recent[1]);
    expect(findEarlier(recent, 'high', 'r1', 'add')).toBeUndefined();
    expect(findEarlier(recent, 'low', 'r3', 'add')).toBeUndefined();
    expect(findEarlier(recent, 'low', 'r1', 'remove')).toBeUndefined();
  });

  it('refuses an id that the same side used for something else', () => {
    const recent = [made('r1')];
    expect(() => refuseReuse(recent, 'low', 'r1')).toThrow(
      expect.objectContaining({ code: 'REQUEST_ID_REUSED' }),
    );
    expect(() => refuseReuse(recent, 'high', 'r1')).not.toThrow();
    expect(() => refuseReuse(recent, 'low', 'r2')).not.toThrow();
  });

  it('lasts a day', () => {
    const next = (ms: number) => made('r2', { at: new Date(start.getTime() + ms) });
    expect(remember([made('r1')], next(dayMs - 1)).map(({ id }) => id)).toEqual(['r1', 'r2']);
    expect(remember([made('r1')], next(dayMs)).map(({ id }) => id)).toEqual(['r2']);
  });

  it('keeps the last sixteen of each side, so that neither can make the other forgotten', () => {
    const hers = made('hers', { by: 'high' });
    const ids = Array.from({ length: 20 }, (_, index) => `r${index}`);
    const recent = ids.reduce<RecentRequest[]>((all, id) => remember(all, made(id)), [hers]);
    expect(recent.map(({ id }) => id)).toEqual(['hers', ...ids.slice(-16)]);
  });
});

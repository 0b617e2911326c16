import { describe, expect, it } from '@jest/globals';
import type { Side } from './tie';
import { assertIdUnused, findRetry, remember, type TieRequest } from './tie-requests';

const start = new Date('2026-01-01T00:00:00Z');
const dayMs = 24 * 60 * 60 * 1000;
const requestWith = (id: string, more: Partial<TieRequest> = {}): TieRequest => ({
  by: 'low',
  id,
  command: 'add',
  answer: 'requested',
  at: start,
  ...more,
});

describe('remembered tie requests', () => {
  it('an earlier request is found only by its side, id and command together', () => {
    const recent = [requestWith('r1'), requestWith('r2', { by: 'high' })];
    expect(findRetry(recent, 'low', 'r1', 'add')).toBe(recent[0]);
    expect(findRetry(recent, 'high', 'r2', 'add')).toBe(recent[1]);
    expect(findRetry(recent, 'high', 'r1', 'add')).toBeUndefined();
    expect(findRetry(recent, 'low', 'r3', 'add')).toBeUndefined();
    expect(findRetry(recent, 'low', 'r1', 'remove')).toBeUndefined();
  });

  it('a request id that the same side has used for a different command is rejected', () => {
    const recent = [requestWith('r1')];
    expect(() => assertIdUnused(recent, 'low', 'r1')).toThrow(
      expect.objectContaining({ code: 'REQUEST_ID_REUSED' }),
    );
    expect(() => assertIdUnused(recent, 'high', 'r1')).not.toThrow();
    expect(() => assertIdUnused(recent, 'low', 'r2')).not.toThrow();
  });

  it('requests are forgotten after a day', () => {
    const next = (ms: number) => requestWith('r2', { at: new Date(start.getTime() + ms) });
    expect(remember([requestWith('r1')], next(dayMs - 1)).map(({ id }) => id)).toEqual([
      'r1',
      'r2',
    ]);
    expect(remember([requestWith('r1')], next(dayMs)).map(({ id }) => id)).toEqual(['r2']);
  });

  it('the last sixteen requests of each side are kept, so one side cannot push out the other’s', () => {
    const rememberMany = (before: readonly TieRequest[], by: Side, count: number) =>
      Array.from({ length: count }, (_, index) => requestWith(`${by}${index}`, { by })).reduce(
        remember,
        [...before],
      );
    const idsBy = (recent: readonly TieRequest[], side: Side) =>
      recent.filter(({ by }) => by === side).map(({ id }) => id);
    const lastOf = (side: Side) => Array.from({ length: 16 }, (_, index) => `${side}${index + 4}`);
    const recent = rememberMany(rememberMany([], 'high', 20), 'low', 20);
    expect(idsBy(recent, 'high')).toEqual(lastOf('high'));
    expect(idsBy(recent, 'low')).toEqual(lastOf('low'));
  });
});

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Deadlines } from './deadlines';

describe('Deadlines', () => {
  let deadlines: Deadlines;
  let ended: string[];
  beforeEach(() => {
    jest.useFakeTimers();
    deadlines = new Deadlines(() => performance.now());
    ended = [];
  });
  afterEach(() => void jest.useRealTimers());

  const call = (name: string) => ({ expire: () => void ended.push(name) });
  const add = (name: string, inMs: number) => {
    const added = call(name);
    const slot = deadlines.add(added, performance.now() + inMs);
    return () => slot.delete(added);
  };

  it('ends a call at most a tick after its deadline, and never before it', () => {
    add('call', 1_003);
    jest.advanceTimersByTime(1_002);
    expect(ended).toEqual([]);
    jest.advanceTimersByTime(11);
    expect(ended).toEqual(['call']);
  });

  it('ends calls in the order of their deadlines, whatever order they started in', () => {
    for (const inMs of [500, 20, 3_000, 100, 40, 2_000]) add(String(inMs), inMs);
    jest.advanceTimersByTime(5_000);
    expect(ended).toEqual(['20', '40', '100', '500', '2000', '3000']);
  });

  it('does not end a call that was deleted from its slot', () => {
    const remove = add('answered', 100);
    add('slow', 101);
    remove();
    jest.advanceTimersByTime(200);
    expect(ended).toEqual(['slow']);
  });

  it('has one timer for any number of calls, and none once all of them have ended', () => {
    const removals = Array.from({ length: 1_000 }, (_, index) => add('call', 100 + index));
    expect(jest.getTimerCount()).toBe(1);
    for (const remove of removals) remove();
    jest.advanceTimersByTime(120);
    expect(jest.getTimerCount()).toBe(0);
    expect(ended).toEqual([]);
  });

  it('immediately ends a call whose deadline has already passed', () => {
    add('late', -50);
    jest.advanceTimersByTime(1);
    expect(ended).toEqual(['late']);
  });

  it('waits for a deadline that is too far away for a single timer', () => {
    add('next month', 31 * 24 * 3_600_000);
    jest.advanceTimersByTime(30 * 24 * 3_600_000);
    expect(ended).toEqual([]);
    jest.advanceTimersByTime(25 * 3_600_000);
    expect(ended).toEqual(['next month']);
  });

  it('does not end a call with a distant deadline after the call was deleted from its slot', () => {
    const remove = add('answered', 150_000);
    add('slow', 150_001);
    jest.advanceTimersByTime(130_000);
    remove();
    jest.advanceTimersByTime(20_012);
    expect(ended).toEqual(['slow']);
  });

  it('drops the distant deadlines of calls that have ended', () => {
    const removals = Array.from({ length: 1_000 }, (_, index) =>
      add('call', 3_600_000 + 20 * index),
    );
    for (const remove of removals) remove();
    jest.advanceTimersByTime(60_020);
    expect(jest.getTimerCount()).toBe(0);
    expect(ended).toEqual([]);
  });

  it('ends a call that is added while another one is ending', () => {
    deadlines.add({ expire: () => void add('second', 10) }, performance.now() + 10);
    jest.advanceTimersByTime(50);
    expect(ended).toEqual(['second']);
  });
});

import { describe, expect, it } from '@jest/globals';
import {
  decideBudget,
  withoutReservation,
  withReservation,
  type RequestBudget,
} from './request-budget';

const limits = { perHour: 50, pending: 200 };
const hourMs = 60 * 60 * 1000;
const start = new Date('2026-01-01T00:00:00Z');
const after = (ms: number): Date => new Date(start.getTime() + ms);
/** A budget with `count` requests, made one second apart. */
const budgetWith = (count: number): RequestBudget => ({
  madeAt: Array.from({ length: count }, (_, index) => after(index * 1_000)),
});

describe('decideBudget', () => {
  it('allows the 50th request within an hour and records it', () => {
    const now = after(49_000);
    expect(decideBudget(budgetWith(49), 0, limits, now)).toEqual({
      budget: { madeAt: [...budgetWith(49).madeAt, now] },
    });
  });

  it('refuses the 51st request until the first is an hour old, to the millisecond', () => {
    const refused = { exceeded: 'per_hour', allowedAt: after(hourMs) };
    expect(decideBudget(budgetWith(50), 0, limits, after(50_000))).toEqual(refused);
    expect(decideBudget(budgetWith(50), 0, limits, after(hourMs - 1))).toEqual(refused);
    expect(decideBudget(budgetWith(50), 0, limits, after(hourMs))).toEqual({
      budget: { madeAt: [...budgetWith(50).madeAt.slice(1), after(hourMs)] },
    });
  });

  it('after the hourly limit was lowered, returns when a request is allowed again', () => {
    const lowered = { ...limits, perHour: 10 };
    expect(decideBudget(budgetWith(50), 0, lowered, after(50_000))).toEqual({
      exceeded: 'per_hour',
      allowedAt: after(40_000 + hourMs),
    });
  });

  it('allows the 200th pending request and refuses the next', () => {
    expect(decideBudget({ madeAt: [] }, 199, limits, start)).toEqual({
      budget: { madeAt: [start] },
    });
    expect(decideBudget({ madeAt: [] }, 200, limits, start)).toEqual({ exceeded: 'pending' });
    expect(decideBudget({ madeAt: [] }, 400, limits, start)).toEqual({ exceeded: 'pending' });
  });

  it('never records more requests than the hourly limit', () => {
    let budget: RequestBudget = { madeAt: [] };
    for (let minute = 0; minute < 300; minute += 1) {
      const decision = decideBudget(budget, 0, limits, after(minute * 60_000));
      if ('budget' in decision) budget = decision.budget;
    }
    expect(budget.madeAt).toHaveLength(50);
  });
});

describe('withoutReservation', () => {
  it('releasing a reservation lowers the number of requests in the hour, but not the number of pending requests', () => {
    const account = { madeAt: [start], pending: 7, reserved: [] };
    const reservation = { id: 'r', at: after(1), pairId: 'ada:bob', version: 0 };
    const reserved = withReservation(account, { madeAt: [start, after(1)] }, reservation);
    expect(withoutReservation(reserved, reservation)).toEqual({ ...account, pending: 8 });
  });
});

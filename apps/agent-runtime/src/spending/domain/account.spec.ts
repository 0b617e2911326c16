import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Trust } from '@daycare/api';
import { dayOf } from '../../agents';
import { defaultCallLimits } from '../../models/providers/call-clock';
import { retryLimits } from '../../models/providers/with-retries';
import {
  bringUpToDate,
  emptyAccount,
  reserve,
  reservationMs,
  reservedOf,
  settle,
  type Account,
} from './account';
import { add, appliesTo, exceeds, type BudgetScope } from './budget';
import { periodKey, type Period } from './period';
import { correct, correctionsOf, type FoundUsage } from './recount';
import { setBudget } from './set-budget';

const now = new Date('2026-11-30T23:59:00Z');
const later = (ms: number): Date => new Date(now.getTime() + ms);
let requests = 0;
const withBudget = (
  account: Account,
  scope: BudgetScope,
  maxTokens: number,
  period: Period = 'day',
): Account =>
  setBudget(
    account,
    { setBy: 'owner', scope, period, maxTokens, requestId: `r${requests++}` },
    now,
  );
const account = (maxTokens: number, period: Period = 'day'): Account =>
  withBudget(emptyAccount('ada', now), { kind: 'owner' }, maxTokens, period);
const request = (agentId: string, tokens: number, fence = 1, trust: Trust = 'person') => ({
  userId: 'ada',
  agentId,
  trust,
  fence,
  amount: { tokens, micros: 0 },
});
const settled = (agentId: string, reservation: number, tokens: number, day = dayOf(now)) => ({
  userId: 'ada',
  agentId,
  trust: 'person' as const,
  reservation,
  day,
  amount: { tokens, micros: 0 },
});

it('a reservation outlasts a call whose attempts, and the waits between them, all take the maximum time', () => {
  const { retries, maxMs, maxRetryAfterMs } = retryLimits;
  const longestCallMs =
    (retries + 1) * defaultCallLimits.overallMs + retries * (maxMs + maxRetryAfterMs);
  expect(reservationMs).toBeGreaterThan(longestCallMs);
});

describe('reserving', () => {
  it('grants calls as long as spending and reservations leave enough of the budget', () => {
    let state = account(100);
    const outcomes = ['a', 'b', 'c'].map((agentId) => {
      const { account: next, outcome } = reserve(state, request(agentId, 40), now);
      state = next;
      return outcome.kind;
    });
    expect(outcomes).toEqual(['granted', 'granted', 'refused']);
    state = settle(state, settled('a', 1, 10), now);
    expect(reserve(state, request('c', 50), now).outcome.kind).toBe('granted');
    expect(reserve(state, request('c', 51), now).outcome.kind).toBe('refused');
  });

  it('a refusal names the exhausted budget and when it is renewed', () => {
    const state = withBudget(account(1_000), { kind: 'agent', userId: 'ada', agentId: 'a' }, 5);
    const { outcome } = reserve(state, request('a', 6), now);
    expect(outcome).toMatchObject({
      kind: 'refused',
      budget: { scope: { kind: 'agent' } },
      renewsAt: new Date('2026-12-01T00:00:00Z'),
    });
    expect(reserve(state, request('b', 6), now).outcome.kind).toBe('granted');
  });

  it('an agent’s new reservation replaces its earlier one and requests a recount', () => {
    const first = reserve(account(100), request('a', 60), now).account;
    const second = reserve({ ...first, recountAt: later(1e9) }, request('a', 70, 2), later(1_000));
    expect(second.outcome).toEqual({ kind: 'granted', number: 2 });
    expect(second.account.reservations).toHaveLength(1);
    expect(second.account.recountAt).toEqual(later(1_000));
  });

  it('never replaces a reservation made by a newer holder of the lease', () => {
    const held = reserve(account(100), request('a', 60, 7), now).account;
    const { account: after, outcome } = reserve(held, request('a', 10, 6), now);
    expect(outcome.kind).toBe('superseded');
    expect(after).toBe(held);
  });

  it('reserves nothing for a call that no budget applies to', () => {
    const state = withBudget(emptyAccount('ada', now), { kind: 'guests', userId: 'sub' }, 5);
    const person = { ...request('a', 60), userId: 'sub' };
    expect(reserve(state, person, now).outcome).toEqual({ kind: 'granted', number: 0 });
    const guest = { ...person, trust: 'guest' as const };
    expect(reserve(state, guest, now).outcome.kind).toBe('refused');
  });
});

describe('reservations', () => {
  it('reservations of crashed calls expire and release their part of the budget', () => {
    const full = reserve(account(100, 'month'), request('a', 100), now).account;
    const end = later(reservationMs);
    expect(reserve(full, request('b', 1), later(30_000)).outcome.kind).toBe('refused');
    const freed = reserve(full, request('b', 1), end);
    expect(freed.outcome.kind).toBe('granted');
    expect(freed.account.recountAt).toEqual(end);
  });

  it('a reservation is settled only once: a second settlement adds nothing and requests a recount', () => {
    const held = reserve(account(100), request('a', 60), now).account;
    const settledOnce = settle({ ...held, recountAt: later(1e9) }, settled('a', 1, 20), now);
    expect(settledOnce.budgets[0]?.spent.tokens).toBe(20);
    expect(settledOnce.recountAt).toEqual(later(1e9));
    const settledTwice = settle(settledOnce, settled('a', 1, 20), now);
    expect(settledTwice.budgets[0]?.spent.tokens).toBe(20);
    expect(settledTwice.recountAt).toEqual(now);
  });
});

describe('period boundaries', () => {
  const midnight = new Date('2026-12-01T00:00:00Z');

  it('a call that ends in the next month counts towards that month, and the old month’s spending is dropped', () => {
    const held = reserve(account(100, 'month'), request('a', 60), now).account;
    const spent = settle(held, settled('a', 1, 50), now);
    const again = reserve(spent, request('a', 40), now).account;
    const next = settle(again, settled('a', 2, 30, '2026-12-01'), midnight);
    expect(next.budgets).toMatchObject([{ spentIn: '2026-12', spent: { tokens: 30 } }]);
  });

  it('a call recorded before midnight and settled after it does not count in the new period', () => {
    const held = reserve(account(100), request('a', 60), now).account;
    const next = settle(held, settled('a', 1, 50, '2026-11-30'), midnight);
    expect(next.budgets).toMatchObject([{ spentIn: '2026-12-01', spent: { tokens: 0 } }]);
    expect(next.reservations).toEqual([]);
  });

  it('a replica whose clock is behind does not restore the old period', () => {
    const next = bringUpToDate(account(100), midnight);
    expect(reserve(next, request('a', 60), now).account.budgets).toMatchObject([
      { spentIn: '2026-12-01' },
    ]);
  });

  it('an account that is already up to date is returned as the same object', () => {
    const state = account(100);
    expect(bringUpToDate(state, now)).toBe(state);
  });
});

describe('setting budgets', () => {
  it('a new budget replaces the one that has the same scope, period and setter, but keeps what was spent', () => {
    const held = reserve(account(100), request('a', 60), now).account;
    const spent = settle(held, settled('a', 1, 20), now);
    const raised = withBudget(spent, { kind: 'owner' }, 200);
    expect(raised.budgets).toMatchObject([{ maxTokens: 200, spent: { tokens: 20 } }]);
    const capped = setBudget(
      raised,
      { setBy: 'operator', scope: { kind: 'owner' }, period: 'day', maxTokens: 50, requestId: 'x' },
      now,
    );
    expect(capped.budgets.map(({ setBy }) => setBy)).toEqual(['owner', 'operator']);
    expect(reserve(capped, request('a', 51), now).outcome.kind).toBe('refused');
  });

  it('a retried request does not undo a later change to the budget', () => {
    const spec = { setBy: 'owner', scope: { kind: 'owner' }, period: 'day' } as const;
    const first = setBudget(
      emptyAccount('ada', now),
      { ...spec, maxTokens: 1, requestId: 'a' },
      now,
    );
    const second = setBudget(first, { ...spec, maxTokens: 2, requestId: 'b' }, now);
    expect(setBudget(second, { ...spec, maxTokens: 1, requestId: 'a' }, now)).toBe(second);
    expect(setBudget(second, { ...spec, requestId: 'c' }, now).budgets).toEqual([]);
  });

  it('refuses more budgets than an account may have', () => {
    let state = emptyAccount('ada', now);
    for (let index = 0; index < 200; index += 1)
      state = withBudget(state, { kind: 'agent', userId: 'ada', agentId: `a${index}` }, 1);
    expect(() => withBudget(state, { kind: 'owner' }, 1)).toThrow('too many budgets');
  });
});

/** An event that concerns an account. A crash happens before or after a call's usage is recorded. */
type Event =
  | {
      readonly kind: 'call';
      readonly agent: number;
      readonly tokens: number;
      readonly used: number;
    }
  | { readonly kind: 'crash before'; readonly agent: number; readonly tokens: number }
  | {
      readonly kind: 'crash after';
      readonly agent: number;
      readonly tokens: number;
      readonly used: number;
    }
  | { readonly kind: 'recount' }
  | { readonly kind: 'wait'; readonly ms: number };

describe('any sequence of events', () => {
  const agents = fc.integer({ min: 0, max: 3 });
  const amounts = fc.integer({ min: 0, max: 40 });
  const event: fc.Arbitrary<Event> = fc.oneof(
    fc.record({
      kind: fc.constant('call' as const),
      agent: agents,
      tokens: amounts,
      used: amounts,
    }),
    fc.record({ kind: fc.constant('crash before' as const), agent: agents, tokens: amounts }),
    fc.record({
      kind: fc.constant('crash after' as const),
      agent: agents,
      tokens: amounts,
      used: amounts,
    }),
    fc.constant({ kind: 'recount' as const }),
    fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.constantFrom(1_000, reservationMs, 20 * 3_600_000, 12 * 86_400_000),
    }),
  );

  it('granted calls never exceed a limit, and after a recount the account agrees with the recorded calls', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        let state = withBudget(account(100), { kind: 'owner' }, 150, 'month');
        let at = now;
        const recorded: (FoundUsage & { readonly reservation: number })[] = [];
        const recount = (): void => {
          const open = state.reservations.map(({ number }) => number);
          const read = bringUpToDate({ ...state, reservations: [] }, at);
          const found = recorded.filter(({ reservation }) => !open.includes(reservation));
          const corrections = correctionsOf(read, found);
          const { recounts } = state;
          state = correct(bringUpToDate(state, at), { corrections, readAt: at, recounts });
        };
        const call = (agent: number, tokens: number, used: number | undefined): number => {
          const decided = reserve(state, request(`a${agent}`, tokens), at);
          state = decided.account;
          if (decided.outcome.kind !== 'granted') return 0;
          for (const budget of state.budgets)
            expect(exceeds(add(budget.spent, reservedOf(state, budget)), budget)).toBe(false);
          const { number: reservation } = decided.outcome;
          if (used === undefined) return reservation;
          const use = { ...settled(`a${agent}`, reservation, used, dayOf(at)) };
          recorded.push({ ...use, tokens: used, micros: 0 });
          return reservation;
        };
        for (const each of events) {
          if (each.kind === 'wait') at = new Date(at.getTime() + each.ms);
          else if (each.kind === 'recount') recount();
          else if (each.kind === 'crash before') call(each.agent, each.tokens, undefined);
          else {
            const reservation = call(each.agent, each.tokens, each.used);
            if (each.kind === 'call' && reservation > 0)
              state = settle(
                state,
                settled(`a${each.agent}`, reservation, each.used, dayOf(at)),
                at,
              );
          }
        }
        at = new Date(at.getTime() + reservationMs);
        state = bringUpToDate(state, at);
        recount();
        for (const budget of state.budgets) {
          const truth = recorded
            .filter(
              (use) =>
                periodKey(budget.period, use.day) === budget.spentIn && appliesTo(budget, use),
            )
            .reduce((sum, { tokens }) => sum + tokens, 0);
          expect(budget.spent.tokens).toBe(truth);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('a correction keeps the spending of calls that were settled after the account was read', () => {
    const read = reserve(account(1_000), request('a', 60), now).account;
    const corrections = correctionsOf(read, [{ ...settled('b', 0, 0), tokens: 25, micros: 3 }]);
    const settledSince = settle(read, settled('a', 1, 50), now);
    const corrected = correct(settledSince, { corrections, readAt: now, recounts: 0 });
    expect(corrected.budgets[0]?.spent).toEqual({ tokens: 75, micros: 3 });
  });
});

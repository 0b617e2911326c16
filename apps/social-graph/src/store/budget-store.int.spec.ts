import { describe, expect, it } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import type { RequestLimits } from '../domain/request-budget';
import type { Member } from '../domain/tie/pair';
import { noTie, type Side } from '../domain/tie/tie';
import { limitedRequest } from '../test-support/limited-request';
import { newMember, newTie, openTestTies } from '../test-support/test-ties';
import type { BudgetStore } from './budget-store';
import type { StoredTie } from './tie-document';

const test = useFixture(openTestTies);

const now = new Date();
const limits: RequestLimits = { perHour: 50, pending: 5 };
const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
const sideOf = ({ pair }: StoredTie, { userId }: Member): Side =>
  pair.low.userId === userId ? 'low' : 'high';

/** A request from a user to someone new. */
function newRequest(me: Member, requestLimits = limits) {
  const fresh = newTie(noTie, me);
  const bond = { kind: 'requested', by: sideOf(fresh, me), since: now } as const;
  const tie = { ...fresh, tie: { ...noTie, bond } };
  return { tie, request: limitedRequest(me.userId, tie, requestLimits, now) };
}

async function reserve(budgets: BudgetStore, me: Member, requestLimits = limits): Promise<string> {
  const exceeded = await budgets.reserve(newRequest(me, requestLimits).request);
  return exceeded?.exceeded ?? 'reserved';
}

const count = (outcomes: readonly string[], wanted: string): number =>
  outcomes.filter((outcome) => outcome === wanted).length;

describe('BudgetStore', () => {
  it('reserving for 64 users takes one write, and only one read if all of them already have stored budgets', async () => {
    const { budgets } = test.newProxiedStores();
    const users = times(64, newMember);
    test.proxy.record();
    await Promise.all(users.map((user) => reserve(budgets, user)));
    expect(test.proxy.steps().sort()).toEqual([
      'aggregate ties',
      'aggregate ties',
      'find request_budgets',
      'insert request_budgets',
    ]);
    test.proxy.record();
    await Promise.all(users.map((user) => reserve(budgets, user)));
    expect(test.proxy.steps()).toEqual(['find request_budgets', 'update request_budgets']);
  });

  it('concurrent requests on two replicas together do not exceed the hourly limit', async () => {
    const replicas = [test.newStores().budgets, test.newStores().budgets];
    const me = newMember();
    const tenPerHour = { perHour: 10, pending: 1_000 };
    const outcomes = await Promise.all(
      times(30, () => replicas).flatMap((both) =>
        both.map((budgets) => reserve(budgets, me, tenPerHour)),
      ),
    );
    expect(count(outcomes, 'reserved')).toBe(10);
    expect(count(outcomes, 'per_hour')).toBe(50);
  });

  it('concurrent requests on two replicas together do not exceed the limit on pending requests', async () => {
    const replicas = [test.newStores(), test.newStores()];
    const me = newMember();
    const ask = async (index: number): Promise<string> => {
      const outcome = await replicas[index % 2]!.changes.save(newRequest(me));
      return typeof outcome === 'string' ? outcome : outcome.exceeded;
    };
    const outcomes = await Promise.all(times(40, () => 0).map((_, index) => ask(index)));
    expect(count(outcomes, 'saved')).toBe(5);
    const pending = await replicas[0]!.ties.countPendingOut([me.userId]);
    expect(pending.get(me.userId)).toBe(5);
  });

  it('recounts pending requests before it refuses a new one, so that an answered request no longer counts', async () => {
    const { changes, ties } = test.newStores();
    const me = newMember();
    const requests = times(5, () => newRequest(me));
    for (const request of requests) await changes.save(request);
    const late = newRequest(me);
    await expect(changes.save(late)).resolves.toEqual({ exceeded: 'pending' });
    const answered = (await ties.find(requests[0]!.tie.pair.id))!;
    await ties.save({ ...answered, tie: { ...noTie, bond: { kind: 'friends', since: now } } });
    await expect(changes.save(late)).resolves.toBe('saved');
    await expect(changes.save(newRequest(me))).resolves.toEqual({ exceeded: 'pending' });
  });

  it('a reserved request counts as pending even before its tie is written', async () => {
    const { budgets } = test.newStores();
    const me = newMember();
    for (const _ of times(5, () => 0)) await reserve(budgets, me);
    await expect(reserve(budgets, me)).resolves.toBe('pending');
  });

  it('a reservation whose process died counts towards the hourly limit, but is counted as pending for only a minute', async () => {
    const { budgets } = test.newStores();
    const me = newMember();
    for (const _ of times(5, () => 0)) await reserve(budgets, me);
    const later = new Date(now.getTime() + 61_000);
    const tie = newTie(noTie, me);
    const again = (requestLimits: RequestLimits) =>
      budgets.reserve(limitedRequest(me.userId, tie, requestLimits, later));
    await expect(again({ ...limits, perHour: 5 })).resolves.toMatchObject({
      exceeded: 'per_hour',
    });
    await expect(again(limits)).resolves.toBeUndefined();
  });

  it('releasing a reservation does not lower the pending count if a recount already excluded its request', async () => {
    const { budgets, changes, ties } = test.newStores();
    const me = newMember();
    for (const request of times(4, () => newRequest(me))) await changes.save(request);
    const { tie, request } = newRequest(me);
    await budgets.reserve(request);
    await ties.save({ ...tie, tie: noTie });
    await expect(changes.save(newRequest(me))).resolves.toBe('saved');
    await budgets.release(request);
    await expect(changes.save(newRequest(me))).resolves.toEqual({ exceeded: 'pending' });
  });

  it('a reservation that is released twice concurrently allows only one further request', async () => {
    const { budgets } = test.newStores();
    const me = newMember();
    const two = { perHour: 2, pending: 2 };
    const first = newRequest(me, two).request;
    await budgets.reserve(first);
    await reserve(budgets, me, two);
    await expect(reserve(budgets, me, two)).resolves.toBe('per_hour');
    await Promise.all([budgets.release(first), budgets.release(first)]);
    await expect(reserve(budgets, me, two)).resolves.toBe('reserved');
    await expect(reserve(budgets, me, two)).resolves.toBe('per_hour');
  });
});

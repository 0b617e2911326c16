import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { eventually, profileQueries } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import type { Agent } from '../../agents/domain/agent';
import { startTestRuntime } from '../../test-support/test-runtime';
import {
  budgetsOf,
  callUsage,
  dailyBudget,
  plannedCall,
  recordCall,
} from '../../test-support/test-spending';
import type { Spending } from '../build';
import type { AccountDocument } from '../store/account-document';
import { reservationMs } from '../domain/account';

const runtime = useFixture(startTestRuntime);

/** Begins a call that is estimated at 200 tokens: 100 for the request and 100 for the answer. */
const begin = (spending: Spending, agent: Agent, overrides = {}) =>
  spending.meter.begin(plannedCall(agent, overrides));
const output = {
  text: 'done',
  toolCalls: [],
  usage: { inputTokens: 100, outputTokens: 100, cachedInputTokens: 0 },
};

/** Makes a call and stores its outcome; if `settles` is false, the replica crashes before it settles the call. */
async function makeCall(
  spending: Spending,
  agent: Agent,
  { settles = true, at = new Date() } = {},
): Promise<'made' | 'refused'> {
  const call = await begin(spending, agent);
  if (call.kind === 'refused') return 'refused';
  const entry = await recordCall(runtime, agent, await call.answered(output), at);
  if (settles) spending.meter.settle(entry);
  return 'made';
}

const agentsOf = (userId: string, count: number): Promise<Agent[]> =>
  Promise.all(Array.from({ length: count }, () => runtime.newAgent(undefined, userId)));

describe('reservations before calls', () => {
  it('exactly 10 of 64 concurrent calls on two replicas are allowed when the budget suffices for 10', async () => {
    const userId = createId();
    const agents = await agentsOf(userId, 64);
    const replicas = [runtime.newSpending(), runtime.newSpending()];
    await replicas[0]!.setBudget(dailyBudget(userId, 2_099));
    const outcomes = await Promise.all(
      agents.map((agent, index) => begin(replicas[index % 2]!, agent)),
    );
    expect(outcomes.filter(({ kind }) => kind === 'metered')).toHaveLength(10);
    expect(await budgetsOf(replicas[1]!, userId)).toEqual([{ spent: 0, reserved: 2_000 }]);
  });

  it('calls for an owner known to have no budgets run no database command', async () => {
    const now = new Date();
    const spending = runtime.newSpending({ now: () => now });
    const agents = await agentsOf(createId(), 8);
    await begin(spending, agents[0]!);
    const queries = await profileQueries(runtime.mongo.db, /spending_accounts$/, async () => {
      await Promise.all(agents.map((agent) => begin(spending, agent)));
    });
    expect(queries).toEqual([]);
  });

  it('a call’s usage replaces its reservation once the outcome is stored', async () => {
    const spending = runtime.newSpending();
    const [agent] = await agentsOf(createId(), 1);
    await spending.setBudget(dailyBudget(agent!.userId, 400));
    expect(await makeCall(spending, agent!)).toBe('made');
    await eventually(async () => (await budgetsOf(spending, agent!.userId))[0]!.reserved === 0);
    expect(await budgetsOf(spending, agent!.userId)).toEqual([{ spent: 200, reserved: 0 }]);
    expect(await makeCall(spending, agent!)).toBe('made');
    expect(await makeCall(spending, agent!)).toBe('refused');
  });

  it.each([0, -3_600_000, -61_000, 61_000, 3_600_000])(
    'a budget change applies after a second on a replica whose clock is off by %i ms, or immediately if that replica was idle',
    async (skewMs) => {
      let now = new Date(Date.now() + skewMs);
      const [setter, replica] = [runtime.newSpending(), runtime.newSpending({ now: () => now })];
      const [agent] = await agentsOf(createId(), 1);
      for (let round = 0; round < 2; round += 1) {
        expect((await begin(replica, agent!)).kind).toBe('metered');
        await setter.setBudget(dailyBudget(agent!.userId, 10));
        now = new Date(now.getTime() + 1_000);
        await eventually(async () => (await begin(replica, agent!)).kind === 'refused');
        await setter.setBudget(dailyBudget(agent!.userId, undefined));
        now = new Date(now.getTime() + 5_000);
      }
    },
  );

  it('a reservation does not change the stored time at which the account’s budgets were last set', async () => {
    const spending = runtime.newSpending();
    const [agent] = await agentsOf(createId(), 1);
    await spending.setBudget(dailyBudget(agent!.userId, 1_000));
    const accounts = runtime.mongo.db.collection<AccountDocument>('spending_accounts');
    const setAt = async () => (await accounts.findOne({ _id: agent!.userId }))?.budgetsSetAt;
    const before = await setAt();
    expect((await begin(spending, agent!)).kind).toBe('metered');
    expect((await budgetsOf(spending, agent!.userId))[0]!.reserved).toBe(200);
    expect(await setAt()).toEqual(before);
  });

  it('a refusal is based on the stored account, not on the cached one', async () => {
    const [replica, otherReplica] = [runtime.newSpending(), runtime.newSpending()];
    const [agent] = await agentsOf(createId(), 1);
    await replica.setBudget(dailyBudget(agent!.userId, 10));
    expect((await begin(replica, agent!)).kind).toBe('refused');
    await otherReplica.setBudget(dailyBudget(agent!.userId, 1_000));
    expect((await begin(replica, agent!)).kind).toBe('metered');
  });
});

describe('crashes', () => {
  it('a crash between reservation and answer leaves a reservation that the agent’s next call replaces, or that expires', async () => {
    const [agent, other] = await agentsOf(createId(), 2);
    const crashed = runtime.newSpending();
    await crashed.setBudget(dailyBudget(agent!.userId, 300, { period: 'month' }));
    await begin(crashed, agent!);
    const next = runtime.newSpending();
    expect((await begin(next, other!)).kind).toBe('refused');
    expect((await begin(next, agent!, { fence: 2 })).kind).toBe('metered');
    const after = runtime.newSpending({ now: () => new Date(Date.now() + reservationMs) });
    expect((await begin(after, other!)).kind).toBe('metered');
  });

  it('a call that is recorded but not settled because of a crash shows up in usage immediately, and in the budget after a recount', async () => {
    const [agent, other] = await agentsOf(createId(), 2);
    const { userId } = agent!;
    const crashed = runtime.newSpending();
    await crashed.setBudget(dailyBudget(userId, 300, { period: 'month' }));
    await makeCall(crashed, agent!, { settles: false });
    const requester = { kind: 'user', userId, parentUserId: undefined } as const;
    const everything = { requester, userId: '', agentId: '', fromDay: '', toDay: '' };
    const { rows } = await crashed.getUsage({
      ...everything,
      groupBy: [],
      pageSize: 0,
      pageToken: '',
    });
    expect(rows).toMatchObject([{ calls: 1, inputTokens: 100, outputTokens: 100 }]);
    // Nothing is counted twice while the reservation still exists.
    expect(await budgetsOf(crashed, userId)).toEqual([{ spent: 0, reserved: 200 }]);
    const after = runtime.newSpending({ now: () => new Date(Date.now() + reservationMs) });
    await begin(after, other!);
    await eventually(async () => (await budgetsOf(after, userId))[0]!.spent === 200);
    expect((await begin(after, other!)).kind).toBe('refused');
  });

  it('a settlement counts once, even if it is repeated immediately or later', async () => {
    const spending = runtime.newSpending();
    const [agent, other] = await agentsOf(createId(), 2);
    const { userId } = agent!;
    await spending.setBudget(dailyBudget(userId, 10_000));
    const call = await begin(spending, agent!);
    if (call.kind === 'refused') throw new Error('the budget should have sufficed');
    const entry = await recordCall(runtime, agent!, await call.answered(output));
    for (let time = 0; time < 3; time += 1) spending.meter.settle(entry);
    const later = await begin(spending, other!);
    if (later.kind === 'refused') throw new Error('the budget should have sufficed');
    await eventually(async () => (await budgetsOf(spending, userId))[0]!.reserved === 200);
    spending.meter.settle(entry);
    spending.meter.settle(await recordCall(runtime, other!, await later.answered(output)));
    await eventually(async () => (await budgetsOf(spending, userId))[0]!.reserved === 0);
    expect((await budgetsOf(spending, userId))[0]!.spent).toBe(400);
  });

  it('a replica that lost its lease can neither replace the new holder’s reservation nor have its own call counted', async () => {
    const [old, holder] = [runtime.newSpending(), runtime.newSpending()];
    const [agent] = await agentsOf(createId(), 1);
    const { userId } = agent!;
    await old.setBudget(dailyBudget(userId, 10_000));
    const lost = await begin(old, agent!, { fence: 1 });
    const call = await begin(holder, agent!, { fence: 2 });
    if (lost.kind === 'refused' || call.kind === 'refused')
      throw new Error('the budget should have sufficed');
    await expect(begin(old, agent!, { fence: 1 })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const stored = await recordCall(runtime, agent!, await call.answered(output));
    // The history already has an entry with this number, so this one is not stored and settles nothing.
    expect(
      await runtime.history.append({ ...stored, call: { ...stored.call!, reservation: 1 } }),
    ).toBe(false);
    holder.meter.settle(stored);
    await eventually(async () => (await budgetsOf(holder, userId))[0]!.reserved === 0);
    expect(await budgetsOf(holder, userId)).toEqual([{ spent: 200, reserved: 0 }]);
  });
});

describe('calls that a budget counts', () => {
  it('a budget counts calls made before it was set, and calls without a reservation that end after it was set', async () => {
    const spending = runtime.newSpending();
    const [agent, other] = await agentsOf(createId(), 2);
    const { userId } = agent!;
    await recordCall(runtime, agent!, callUsage(agent!));
    const view = await spending.setBudget(dailyBudget(userId, 10_000));
    expect(view?.budget.spent).toEqual({ tokens: 100, micros: 7 });
    await recordCall(runtime, agent!, callUsage(agent!));
    const later = runtime.newSpending({ now: () => new Date(Date.now() + 31_000) });
    await begin(later, other!);
    await eventually(async () => (await budgetsOf(later, userId))[0]!.spent === 200);
  });

  it('a monthly budget is renewed when the month ends in UTC, and a call under way at that time counts towards the new month', async () => {
    let now = new Date('2026-11-30T23:59:59.900Z');
    const spending = runtime.newSpending({ now: () => now });
    const [agent, other] = await agentsOf(createId(), 2);
    const { userId } = agent!;
    await spending.setBudget(dailyBudget(userId, 400, { period: 'month' }));
    expect(await makeCall(spending, agent!, { at: now })).toBe('made');
    const last = await begin(spending, other!);
    expect(await makeCall(spending, agent!, { at: now })).toBe('refused');
    now = new Date('2026-12-01T00:00:00.100Z');
    if (last.kind === 'refused') throw new Error('the budget should have sufficed');
    const entry = await recordCall(runtime, other!, await last.answered(output), now);
    spending.meter.settle(entry);
    await eventually(async () => (await budgetsOf(spending, userId))[0]!.reserved === 0);
    expect(await budgetsOf(spending, userId)).toEqual([{ spent: 200, reserved: 0 }]);
    expect(await makeCall(spending, agent!, { at: now })).toBe('made');
    expect(await makeCall(spending, agent!, { at: now })).toBe('refused');
  });

  it('the budget for a subuser’s guests is used up only by calls in turns that guests started', async () => {
    const spending = runtime.newSpending();
    const [ownerUserId, userId] = [createId(), createId()];
    const agent = await runtime.newAgent(undefined, userId, ownerUserId);
    await spending.setBudget(dailyBudget(ownerUserId, 250, { userId, guests: true }));
    for (let time = 0; time < 3; time += 1) expect(await makeCall(spending, agent)).toBe('made');
    const asGuest = { trust: 'guest' } as const;
    const first = await begin(spending, agent, asGuest);
    expect(first.kind).toBe('metered');
    if (first.kind === 'metered')
      spending.meter.settle(await recordCall(runtime, agent, await first.answered(output)));
    expect((await begin(spending, agent, asGuest)).kind).toBe('refused');
    expect(await makeCall(spending, agent)).toBe('made');
  });

  it('a budget in money limits calls like one in tokens, at the configured prices', async () => {
    const prices = new Map([
      ['local/echo', { input: 1_000_000, output: 2_000_000, cachedInput: 0 }],
    ]);
    const spending = runtime.newSpending({ prices });
    const [agent] = await agentsOf(createId(), 1);
    const limits = { maxMicros: 599 };
    await spending.setBudget(dailyBudget(agent!.userId, undefined, limits));
    expect(await makeCall(spending, agent!)).toBe('made');
    expect(await makeCall(spending, agent!)).toBe('refused');
  });

  it('a model without a price is not used if a budget in money applies, and the person is notified once', async () => {
    const spending = runtime.newSpending();
    const userId = createId();
    const [agent, unlimitedAgent] = await agentsOf(userId, 2);
    const unlisted = { provider: 'groq', model: 'llama' };
    const limits = { agentId: agent!.id, maxMicros: 1_000_000 };
    await spending.setBudget(dailyBudget(userId, undefined, limits));
    for (const _ of [1, 2])
      expect(await begin(spending, agent!, unlisted)).toMatchObject({
        kind: 'refused',
        note: expect.stringMatching(
          /no price is known for groq\/llama, and .*USD 1\.00 per day applies/,
        ),
      });
    expect((await begin(spending, agent!)).kind).toBe('metered');
    expect((await begin(spending, unlimitedAgent!, unlisted)).kind).toBe('metered');
    const received = await Promise.all(
      [agent!, unlimitedAgent!].map((each) => runtime.inbox.next(each, 9)),
    );
    expect(received.flat()).toMatchObject([
      {
        text: expect.stringMatching(
          /^The price of groq\/llama is unknown, and .* end with a note\./,
        ),
        silent: true,
      },
    ]);
  });

  it('a price for all models applies to unlisted models', async () => {
    const prices = new Map([['*', { input: 1_000_000, output: 1_000_000, cachedInput: 0 }]]);
    const spending = runtime.newSpending({ prices });
    const [agent] = await agentsOf(createId(), 1);
    await spending.setBudget(dailyBudget(agent!.userId, undefined, { maxMicros: 250 }));
    const unlisted = { provider: 'groq', model: 'llama' };
    const first = await begin(spending, agent!, unlisted);
    if (first.kind === 'refused') throw new Error(first.note);
    spending.meter.settle(await recordCall(runtime, agent!, await first.answered(output)));
    expect(await begin(spending, agent!, unlisted)).toMatchObject({
      note: expect.stringContaining('is used up'),
    });
  });

  it('usage is estimated for a provider that reports none, and for a call that failed midway', async () => {
    const spending = runtime.newSpending();
    const [agent] = await agentsOf(createId(), 1);
    const call = await begin(spending, agent!);
    if (call.kind === 'refused') throw new Error('there should have been no budget');
    const usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };
    const unreported = await call.answered({ text: 'x'.repeat(40), toolCalls: [], usage });
    expect(unreported).toMatchObject({ inputTokens: 100, outputTokens: 10, estimatedCalls: 1 });
    expect(await call.answered(output)).toMatchObject({ outputTokens: 100, estimatedCalls: 0 });
    expect(await call.failed([0])).toMatchObject({ inputTokens: 0, failedCalls: 1 });
    const midway = { inputTokens: 100, outputTokens: 2, failedCalls: 1, estimatedCalls: 1 };
    expect(await call.failed([8])).toMatchObject(midway);
  });
});

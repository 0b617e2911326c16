import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { BudgetPeriod, BudgetScope, UsageDimension } from '@daycare/contracts/agent-runtime';
import { Trust } from '@daycare/contracts/common';
import type { CallOptions } from '@daycare/rpc';
import { eventually } from '@daycare/testing';
import { historyOf, post, summaryOf, whenRecorded } from '../support/people/history';
import { useSharedStack } from '../support/stack/use-stack';
import * as bad from '../support/wire/bad-input';

const stack = useSharedStack();
const { people, agents, runtime, otherRuntime } = stack;

const everything = { userId: '', agentId: '', fromDay: '', toDay: '', pageSize: 0, pageToken: '' };
const usageBy = async ({ as }: { as: CallOptions }, groupBy: UsageDimension[], filter = {}) =>
  (await otherRuntime.getUsage({ ...everything, groupBy, ...filter }, as)).rows;
const budget = (limits: object) => ({
  requestId: createId(),
  userId: '',
  agentId: '',
  guests: false,
  period: BudgetPeriod.DAY,
  ...limits,
});
/** Signs in as the operator, which people.signIn() does when the user id is empty. */
const asOperator = (): Promise<CallOptions> => people.signIn('');

describe('usage', () => {
  it('a subuser’s model calls are counted for the subuser and its owner, by agent, trust and friend', async () => {
    const [owner, friend] = await people.newFriends();
    const helper = await people.newSubuser(owner);
    const gateway = await agents.gateway(helper);
    await people.share(owner, friend, helper);
    await people.acceptShare(friend, helper);
    const agent = await agents.foreground(owner);
    await people.message(friend, helper, 'Hello?');
    await whenRecorded(runtime, owner, gateway.id, 3);
    await whenRecorded(runtime, owner, agent.id, 3);
    const { USER, TRUST, FRIEND } = UsageDimension;
    const rows = await usageBy(owner, [USER, TRUST]);
    expect(rows).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ userId: owner.id, trust: Trust.PERSON, failedCalls: 0 }),
        expect.objectContaining({ userId: helper.id, trust: Trust.GUEST, calls: 1 }),
      ]),
    );
    expect(await usageBy(owner, [FRIEND], { userId: helper.id })).toMatchObject([
      { friendNametag: friend.nametag, calls: 1 },
    ]);
    expect(await usageBy(owner, [], { userId: helper.id })).toMatchObject([{ calls: 1 }]);
    expect(await usageBy(gateway, [])).toMatchObject([{ calls: 1 }]);
    expect(await usageBy(owner, [], { agentId: gateway.id })).toMatchObject([{ calls: 1 }]);
    expect(await usageBy(friend, [])).toEqual([]);
    const operator = { as: await asOperator() };
    expect(await usageBy(operator, [], { userId: helper.id })).toMatchObject([{ calls: 1 }]);
  });
});

describe('budgets', () => {
  it('a used-up budget stops the agent with a note that says when the budget is renewed, and the agent answers again once the budget is removed', async () => {
    const owner = await people.newPerson();
    const agent = await agents.foreground(owner);
    await whenRecorded(runtime, owner, agent.id, 3);
    const { budget: usedUp } = await runtime.setBudget(budget({ maxTokens: 1 }), owner.as);
    expect(usedUp).toMatchObject({ scope: BudgetScope.OWNER, maxTokens: 1, setByOperator: false });
    expect(usedUp?.spentTokens).toBeGreaterThan(0);
    await eventually(async () => {
      await runtime.postMessage(post('and now?'), owner.as);
      const records = await historyOf(runtime, owner, agent.id);
      return records.map(summaryOf).some((line) => /^note: I stopped: .* renewed at/.test(line));
    });
    await runtime.setBudget(budget({}), owner.as);
    expect((await otherRuntime.listBudgets({ userId: '' }, owner.as)).budgets).toEqual([]);
    await eventually(async () => {
      await runtime.postMessage(post('again?'), owner.as);
      const records = await historyOf(runtime, owner, agent.id);
      return records.map(summaryOf).some((line) => line.endsWith('You said: again?'));
    });
  });

  it('agents see budgets but cannot set them, and an owner cannot loosen the operator’s budgets', async () => {
    const owner = await people.newPerson();
    const agent = await agents.foreground(owner);
    const cap = budget({ userId: owner.id, maxTokens: 1_000_000, maxCostMicros: 5 });
    await runtime.setBudget(cap, await asOperator());
    await runtime.setBudget(budget({ maxTokens: 2_000_000 }), owner.as);
    await runtime.setBudget(budget({}), owner.as);
    const { budgets, currency } = await runtime.listBudgets({ userId: '' }, agent.as);
    expect(budgets).toMatchObject([
      { maxTokens: 1_000_000, maxCostMicros: 5, setByOperator: true, period: BudgetPeriod.DAY },
    ]);
    expect(currency).toBe('USD');
    const refused = runtime.setBudget(budget({ maxTokens: 1 }), agent.as);
    await expect(refused).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  });
});

describe('invalid requests', () => {
  it('GetUsage and SetBudget name each invalid field', async () => {
    const { as } = await people.newPerson();
    const usage = { ...everything, groupBy: [] };
    const validBudget = { ...budget({}), maxTokens: 1 };
    const days = ['2026-02-30', 'today', '17.11.2026'];
    await bad.expectRefused([
      ...bad.calls(
        (request) => runtime.getUsage(request, as),
        [
          ...bad.requests(usage, 'page_size', 'pageSize', bad.pageSizes),
          ...bad.requests(usage, 'from_day', 'fromDay', [...days, '2999-01-01']),
          ...bad.requests(usage, 'to_day', 'toDay', days),
        ],
      ),
      ...bad.calls(
        (request) => runtime.setBudget(request, as),
        [
          ...bad.requests(validBudget, 'request_id', 'requestId', bad.requestIds),
          ...bad.requests(validBudget, 'period', 'period', [BudgetPeriod.UNSPECIFIED]),
          ...bad.requests(validBudget, 'max_tokens', 'maxTokens', [-1, 1e13]),
        ],
      ),
    ]);
    const guests = runtime.setBudget({ ...validBudget, guests: true }, as);
    await expect(guests).rejects.toThrow('The user id is required for a guest budget');
    const long = runtime.getUsage({ ...usage, fromDay: '2026-01-01', toDay: '2026-04-03' }, as);
    await expect(long).rejects.toThrow('longer than 92 days; it is 93 days long');
  });
});

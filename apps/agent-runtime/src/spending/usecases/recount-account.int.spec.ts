import { expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { useFixture } from '@daycare/testing/jest';
import { UsageStore } from '../../agents/store/usage-store';
import { gate } from '../../test-support/hanging-provider';
import { startTestRuntime } from '../../test-support/test-runtime';
import { budgetsOf, callUsage, dailyBudget, recordCall } from '../../test-support/test-spending';
import { AccountStore } from '../store/account-store';
import { makeRecountAccount } from './recount-account';

const runtime = useFixture(startTestRuntime);
const log = { warn: () => undefined };
const now = (): Date => new Date();

/** Returns the recounts of two replicas; both replicas read the account before either corrects it. */
function concurrentRecounts() {
  const bothRead = gate();
  const usage = new UsageStore(runtime.mongo.db);
  let readers = 0;
  const sumByAgent: typeof usage.sumByAgent = async (...call) => {
    readers += 1;
    if (readers === 2) bothRead.open();
    await bothRead.opened;
    return usage.sumByAgent(...call);
  };
  return [1, 2].map(() =>
    makeRecountAccount({
      accounts: new AccountStore(runtime.mongo.db),
      usage: { sumByAgent },
      log,
      now,
    }),
  );
}

it('a difference that several concurrent recounts find is applied only once', async () => {
  const userId = createId();
  const agent = await runtime.newAgent(undefined, userId);
  const spending = runtime.newSpending();
  await spending.setBudget(dailyBudget(userId, 10_000));
  for (let calls = 0; calls < 10; calls += 1) await recordCall(runtime, agent, callUsage(agent));
  await Promise.all(concurrentRecounts().map((recount) => recount.now(userId)));
  expect(await budgetsOf(spending, userId)).toEqual([{ spent: 1_000, reserved: 0 }]);
});

it('a recount overtaken by another is repeated, so that it also counts a budget that the other recount did not see', async () => {
  const userId = createId();
  const agent = await runtime.newAgent(undefined, userId);
  await recordCall(runtime, agent, callUsage(agent));
  const replicas = [runtime.newSpending(), runtime.newSpending()];
  const views = await Promise.all(
    (['day', 'month', 'day', 'month'] as const).map((period, index) =>
      replicas[index % 2]!.setBudget(dailyBudget(userId, 10_000 + index, { period })),
    ),
  );
  expect(views.map((view) => view?.budget.spent.tokens)).toEqual([100, 100, 100, 100]);
});

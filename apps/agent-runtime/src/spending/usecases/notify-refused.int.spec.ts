import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { useFixture } from '@daycare/testing/jest';
import { startTestRuntime } from '../../test-support/test-runtime';
import { dailyBudget, plannedCall } from '../../test-support/test-spending';

const runtime = useFixture(startTestRuntime);

describe('the notice to the person', () => {
  it('the person is notified of a used-up budget only once per period, by a message that starts no turn', async () => {
    const spending = runtime.newSpending();
    const userId = createId();
    const [foreground, other] = [
      await runtime.newAgent(undefined, userId),
      await runtime.newAgent(undefined, userId),
    ];
    await spending.setBudget(dailyBudget(userId, 10));
    for (const agent of [foreground, other, foreground]) {
      const refused = await spending.meter.begin(plannedCall(agent));
      expect(refused).toMatchObject({ note: expect.stringContaining('10 tokens per day') });
    }
    // The state after a crash between sending the message and recording that it was sent.
    await runtime.mongo.db
      .collection<{ _id: string }>('spending_accounts')
      .updateOne({ _id: userId }, { $unset: { 'budgets.0.toldIn': '' }, $inc: { revision: 1 } });
    await runtime.newSpending().meter.begin(plannedCall(other));
    const received = await Promise.all(
      [foreground, other].map((agent) => runtime.inbox.next(agent, 10)),
    );
    expect(received.flat()).toMatchObject([
      { kind: 'system_message', origin: 'system', silent: true },
    ]);
  });
});

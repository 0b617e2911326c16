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

  it('the person is notified of a missing price once per model and period, even after the inbox has forgotten the notice', async () => {
    const clock = { now: new Date('2026-11-02T10:00:00Z') };
    const spending = runtime.newSpending({ now: () => clock.now });
    const agent = await runtime.newAgent();
    const inbox = runtime.mongo.db.collection('inbox');
    const noticesAfterCall = async (model: string, at: string) => {
      clock.now = new Date(at);
      const refused = await spending.meter.begin(plannedCall(agent, { model }));
      expect(refused).toMatchObject({ note: expect.stringContaining('no price is known') });
      const { deletedCount } = await inbox.deleteMany({ userId: agent.userId });
      return deletedCount;
    };
    await spending.setBudget(
      dailyBudget(agent.userId, undefined, { period: 'month', maxMicros: 1_000_000 }),
    );
    expect(await noticesAfterCall('new-1', '2026-11-03T10:00:00Z')).toBe(1);
    expect(await noticesAfterCall('new-1', '2026-11-20T10:00:00Z')).toBe(0);
    expect(await noticesAfterCall('new-2', '2026-11-20T10:00:00Z')).toBe(1);
    expect(await noticesAfterCall('new-1', '2026-11-21T10:00:00Z')).toBe(0);
    expect(await noticesAfterCall('new-1', '2026-12-01T10:00:00Z')).toBe(1);
  });
});

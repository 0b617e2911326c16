import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import type { Document } from 'mongodb';
import { emission, signal, startTestWiring, type TestWiring } from '../test-support/test-wiring';

let on: TestWiring;
beforeAll(async () => {
  on = await startTestWiring();
});
afterAll(() => on.mongo.close());

const users = Array.from({ length: 20 }, () => ({ userId: createId(), agentId: createId() }));
const request = () => ({ requestId: createId(), agentId: '', signal });

/** So much is stored that a plan without an index would show. */
async function fill(): Promise<void> {
  for (const caller of users) {
    const call = { caller, ...request() };
    await on.subscribeSignal({ ...call, pattern: 'build:*', silent: true });
    await on.emitSignal(emission(caller));
    await on.emitSignal(emission(caller, { delayMs: 60_000, repeatKey: 'k' }));
    await on.createChannel({ ...call, name: 'ops', leaderAgentId: '', leaderUsername: '' });
    const said = { ...call, channelName: 'ops', text: 'hello' };
    for (let n = 0; n < 3; n += 1) await on.sendChannelMessage({ ...said, requestId: createId() });
  }
}

/** Every query of these stores, once. */
async function askEverything(): Promise<void> {
  const { subscriptions, signals, channels, messages, goneUsers } = on.stores;
  const [caller, other] = [users[0]!, users[1]!];
  const { userId } = caller;
  const userIds = [userId, other.userId];
  const call = { caller, ...request() };
  const now = new Date();
  await on.emitSignal(emission(caller, { delayMs: 1, repeatKey: 'k' }));
  on.passMs(1);
  await on.emitDueSignals();
  await signals.setBack({ id: 'x' }, now);
  await on.listSignals({ userId, pageSize: 1, pageToken: '', pattern: 'a:*', state: 'waiting' });
  const after = { createdAt: now, id: 'x' };
  await signals.list({ userId, states: ['emitted'], types: undefined, after, limit: 5 });
  await on.unsubscribeSignal({ ...call, pattern: 'build:*' });
  await subscriptions.countOf(userId, 10);
  await on.listWiring({ userIds, pageToken: '' });
  await subscriptions.listScope({ userIds, after: { userId, ...after }, limit: 5 });
  await channels.listScope({ userIds, after: { userId, name: 'a' }, limit: 5 });
  await on.joinChannel({ ...call, channelName: 'ops', username: 'leader' });
  await on.listChannelMessages({ caller, channelName: 'ops', pageSize: 1, pageToken: '' });
  await messages.list({ userId, channelId: 'x', before: 3, limit: 5 });
  await on.leaveChannel({ ...call, channelName: 'ops' });
  await channels.wasEndedBy(userId, 'ops', 'x');
  await on.sweepChannels();
  await goneUsers.listSince(now);
  for (const keeper of on.stores.keepers) await keeper.deleteOfUser(userId);
}

it('every query of the service is answered from an index, and in the order of one where it sorts', async () => {
  const { db } = on.mongo;
  await fill();
  await db.createCollection('system.profile', { capped: true, size: 16_777_216 });
  await db.command({ profile: 2 });
  await askEverything();
  await db.command({ profile: 0 });
  const asked: Document[] = await db
    .collection('system.profile')
    .find({
      ns: /\.(signals|subscriptions|channels|channel_messages|gone_users|endpoints)$/,
      op: { $in: ['query', 'update', 'remove', 'command'] },
      planSummary: { $exists: true },
    })
    .toArray();
  const plans = asked.map(({ ns, op, planSummary, command }) => {
    const what = JSON.stringify(command?.filter ?? command?.pipeline ?? command?.q ?? {});
    return `${ns.split('.').slice(1).join('.')} ${op} ${planSummary} ${what}`;
  });
  expect(asked.length).toBeGreaterThan(25);
  const fromIndex = /(IXSCAN|IDHACK|EXPRESS_|DISTINCT_SCAN|COUNT_SCAN|QUEUED)/;
  expect(plans.filter((plan) => !fromIndex.test(plan))).toEqual([]);
  expect(
    asked
      .filter(({ hasSortStage }) => hasSortStage)
      .map(({ command, planSummary }) => [planSummary, JSON.stringify(command)]),
  ).toEqual([]);
});

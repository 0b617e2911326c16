import { expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { profileQueries, sortedInMemory, withoutIndex } from '@daycare/testing';
import { emission, signal, useTestWiring } from '../test-support/test-wiring';

const on = useTestWiring();

const users = Array.from({ length: 20 }, () => ({ userId: createId(), agentId: createId() }));
const request = () => ({ requestId: createId(), agentId: '', signal });

/** Enough documents for a query without an index to show in its plan. */
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

/** Runs every query of these stores once. */
async function runEveryQuery(): Promise<void> {
  const { subscriptions, signals, channels, messages, deletedUsers } = on.stores;
  const [caller, other] = [users[0]!, users[1]!];
  const { userId } = caller;
  const userIds = [userId, other.userId];
  const call = { caller, ...request() };
  const now = new Date();
  await on.emitSignal(emission(caller, { delayMs: 1, repeatKey: 'k' }));
  on.advanceMs(1);
  await on.emitDueSignals();
  await signals.findNextDue(now, now, ['x']);
  await signals.postpone({ id: 'x' }, now);
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
  await channels.wasDeletedBy(userId, 'ops', 'x');
  await on.sweepChannels();
  await deletedUsers.listSince(now);
  await on.endAgent(other);
  await on.sweepEndedAgents();
  for (const keeper of on.stores.userDataStores) await keeper.deleteByUser(userId);
}

it('answers every query of signals, subscriptions and channels from an index, and sorts by it', async () => {
  const { db } = on.mongo;
  await fill();
  const ours =
    /\.(signals|subscriptions|channels|channel_messages|deleted_users|endpoints|ended_agents)$/;
  const asked = await profileQueries(db, ours, runEveryQuery);
  expect(asked.length).toBeGreaterThan(25);
  expect(withoutIndex(asked)).toEqual([]);
  expect(sortedInMemory(asked)).toEqual([]);
});

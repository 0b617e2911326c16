import { expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { profileQueries, queriesSortedInMemory, queriesWithoutIndex } from '@daycare/testing';
import { emission, signal, useTestWiring } from '../test-support/test-wiring';

const wiring = useTestWiring();

const users = Array.from({ length: 20 }, () => ({ userId: createId(), agentId: createId() }));
const request = () => ({ requestId: createId(), agentId: '', signal });

/** Stores enough documents for query plans to show whether they use an index. */
async function fill(): Promise<void> {
  for (const caller of users) {
    const call = { caller, ...request() };
    await wiring.subscribeSignal({ ...call, pattern: 'build:*', silent: true });
    await wiring.emitSignal(emission(caller));
    await wiring.emitSignal(emission(caller, { delayMs: 60_000, repeatKey: 'k' }));
    await wiring.createChannel({ ...call, name: 'ops', leaderAgentId: '', leaderUsername: '' });
    const message = { ...call, channelName: 'ops', text: 'hello' };
    for (let n = 0; n < 3; n += 1)
      await wiring.sendChannelMessage({ ...message, requestId: createId() });
  }
}

/** Runs the queries for signals, subscriptions and channels. */
async function runEveryQuery(): Promise<void> {
  const { subscriptions, signals, channels, messages, deletedUsers } = wiring.stores;
  const [caller, endedCaller] = [users[0]!, users[1]!];
  const { userId } = caller;
  const userIds = [userId, endedCaller.userId];
  const call = { caller, ...request() };
  const now = new Date();
  await wiring.emitSignal(emission(caller, { delayMs: 1, repeatKey: 'k' }));
  wiring.advanceMs(1);
  await wiring.emitDueSignals();
  await signals.findNextDue(now, now, ['x']);
  await signals.postpone({ id: 'x' }, now);
  await wiring.listSignals({
    userId,
    pageSize: 1,
    pageToken: '',
    pattern: 'a:*',
    state: 'waiting',
  });
  const after = { createdAt: now, id: 'x' };
  await signals.list({ userId, states: ['emitted'], types: undefined, after, limit: 5 });
  await wiring.unsubscribeSignal({ ...call, pattern: 'build:*' });
  await subscriptions.countByOwner(userId, 10);
  await wiring.listWiring({ userIds, pageToken: '' });
  await subscriptions.listScope({ userIds, after: { userId, ...after }, limit: 5 });
  await channels.listScope({ userIds, after: { userId, name: 'a' }, limit: 5 });
  await wiring.joinChannel({ ...call, channelName: 'ops', username: 'leader' });
  await wiring.listChannelMessages({ caller, channelName: 'ops', pageSize: 1, pageToken: '' });
  await messages.list({ userId, channelId: 'x', before: 3, limit: 5 });
  await wiring.leaveChannel({ ...call, channelName: 'ops' });
  await channels.wasDeletedByRequest(userId, 'ops', 'x');
  await wiring.sweepChannels();
  await deletedUsers.listSince(now);
  await wiring.endAgent(endedCaller);
  await wiring.sweepEndedAgents();
  for (const store of wiring.stores.userDataStores) await store.deleteByUser(userId);
}

it('every query for signals, subscriptions and channels uses an index to filter and sort', async () => {
  const { db } = wiring.mongo;
  await fill();
  const ownCollections =
    /\.(signals|subscriptions|channels|channel_messages|deleted_users|endpoints|ended_agents)$/;
  const queries = await profileQueries(db, ownCollections, runEveryQuery);
  expect(queries.length).toBeGreaterThan(25);
  expect(queriesWithoutIndex(queries)).toEqual([]);
  expect(queriesSortedInMemory(queries)).toEqual([]);
});

import { beforeEach, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { Trust } from '@daycare/contracts/common';
import type { Channel } from '../../domain/channels/channel';
import type { Viewer } from '../../domain/viewer';
import { toChannelMessage } from '../../rpc/channel-messages';
import { ChannelMessageSender } from '../../store/channel-message-sender';
import {
  buildUsecases,
  signal,
  useTestWiring,
  type TestAgent,
} from '../../test-support/test-wiring';
import { makeForgetUser } from '../forget-user';

const wiring = useTestWiring();

let leader: TestAgent;
let dev: TestAgent;
let qa: TestAgent;
beforeEach(() => {
  const userId = createId();
  const newAgent = (): TestAgent => ({ userId, agentId: createId() });
  [leader, dev, qa] = [newAgent(), newAgent(), newAgent()];
});

const create = (caller: Viewer, name = 'ops', requestId = createId()) =>
  wiring.createChannel({ caller, requestId, name, leaderAgentId: '', leaderUsername: '', signal });
const join = (caller: Viewer, username: string, requestId = createId()) =>
  wiring.joinChannel({ caller, requestId, channelName: 'ops', username, agentId: '', signal });
const leave = (caller: Viewer, requestId = createId()) =>
  wiring.leaveChannel({ caller, requestId, channelName: 'ops', agentId: '' });
const send = (caller: Viewer, text: string, requestId = createId()) =>
  wiring.sendChannelMessage({ caller, requestId, channelName: 'ops', text });
const list = (caller: Viewer, pageSize = 0, pageToken = '') =>
  wiring.listChannelMessages({ caller, channelName: 'ops', pageSize, pageToken });
const textsTo = async ({ agentId }: TestAgent) =>
  (await wiring.deliveredTo(agentId)).map(({ text }) => text);
const usernamesOf = (channel: Channel | undefined) =>
  channel?.members.map(({ username }) => username);

describe('channels', () => {
  it('a channel is created only once when several agents create it concurrently', async () => {
    const outcomes = await Promise.allSettled([create(leader), create(dev), create(qa)]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toMatchObject([
      { reason: { code: 'FAILED_PRECONDITION', message: 'A channel named ops already exists' } },
      { reason: { code: 'FAILED_PRECONDITION' } },
    ]);
  });

  it('a channel remembers that a guest’s turn chose its name or a username', async () => {
    await create({ ...leader, trust: 'guest' });
    await join({ ...dev, trust: 'person' }, 'dev');
    const joined = await join({ ...qa, trust: 'outside' }, 'qa');
    expect(joined.writtenBy).toBe('guest');
    const authors = joined.members.map(({ writtenBy }) => writtenBy);
    expect(authors).toEqual(['guest', undefined, 'outside']);
    expect(await create({ ...leader, trust: 'own' }, 'other')).not.toHaveProperty('writtenBy');
  });

  it('a channel is created only once per request id, even for concurrent retries', async () => {
    const calls = Array.from({ length: 5 }, () => create(leader, 'ops', 'r1'));
    const channels = await Promise.all(calls);
    expect(new Set(channels.map(({ id }) => id)).size).toBe(1);
  });

  it('a channel is NOT_FOUND for other users, who may use the same name', async () => {
    const stranger = { userId: createId(), agentId: createId() };
    await create(leader);
    const notFound = { code: 'NOT_FOUND', message: 'Channel not found' };
    await expect(join(stranger, 'spy')).rejects.toMatchObject(notFound);
    await expect(leave(stranger)).rejects.toMatchObject(notFound);
    await expect(send(stranger, 'hello')).rejects.toMatchObject(notFound);
    await expect(list(stranger)).rejects.toMatchObject(notFound);
    await expect(create(stranger)).resolves.toMatchObject({ leaderAgentId: stranger.agentId });
  });

  it('a channel adds each of twenty agents that join concurrently exactly once', async () => {
    await create(leader);
    const agents = Array.from({ length: 20 }, () => ({ ...leader, agentId: createId() }));
    await Promise.all(agents.map((agent, index) => join(agent, `m${index}`)));
    await Promise.all(agents.map((agent, index) => join(agent, `m${index}`)));
    const { channel } = (await wiring.stores.channels.find(leader.userId, 'ops'))!;
    expect(usernamesOf(channel)!.sort()).toEqual(
      ['leader', ...agents.map((_, n) => `m${n}`)].sort(),
    );
  });

  it('a channel gives a username to only one of several agents that claim it concurrently', async () => {
    await create(leader);
    const outcomes = await Promise.allSettled([join(dev, 'dev'), join(qa, 'dev')]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('a channel whose leader leaves is then led by the remaining member who joined first', async () => {
    await create(leader);
    await join(dev, 'dev');
    await join(qa, 'qa');
    await expect(leave(leader)).resolves.toMatchObject({ leaderAgentId: dev.agentId });
    await expect(leave(leader)).rejects.toMatchObject({ message: 'Member not found' });
  });

  it('a channel is deleted with its messages when its last member leaves, and a retry of leaving succeeds', async () => {
    const first = await create(leader);
    await send(leader, 'alone');
    await expect(leave(leader, 'r1')).resolves.toBeUndefined();
    await expect(leave(leader, 'r1')).resolves.toBeUndefined();
    await expect(list(leader)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const second = await create(leader);
    expect(second.id).not.toBe(first.id);
    expect((await list(leader)).messages).toEqual([]);
    expect(
      await wiring.mongo.db.collection('channel_messages').countDocuments({ channelId: first.id }),
    ).toBe(0);
  });

  it('the channel sweep deletes the messages that a crash left behind when their channel was deleted', async () => {
    const { id: channelId } = await create(leader);
    await send(leader, 'alone');
    const stored = (await wiring.stores.channels.find(leader.userId, 'ops'))!;
    const empty = { ...stored.channel, members: [] };
    await wiring.stores.channels.save({ ...stored, channel: empty }, new Date());
    await wiring.sweepChannels();
    expect(await wiring.mongo.db.collection('channel_messages').countDocuments({ channelId })).toBe(
      0,
    );
  });

  it('a late retry neither restores a former member of a channel nor removes a current one', async () => {
    await create(leader);
    await join(dev, 'dev', 'r1');
    await leave(dev, 'r2');
    expect(usernamesOf(await join(dev, 'dev', 'r1'))).toEqual(['leader']);
    await join(dev, 'dev', 'r3');
    expect(usernamesOf(await leave(dev, 'r2'))).toEqual(['leader', 'dev']);
  });

  it('a channel accepts only existing agents of its user as members', async () => {
    await create(leader);
    const foreign = createId();
    wiring.agents.set(foreign, { userId: createId(), isDead: false });
    const call = { caller: leader, requestId: 'r', channelName: 'ops', username: 'x', signal };
    const refusal = { code: 'NOT_FOUND', message: 'Agent not found' };
    for (const agentId of [foreign, createId()])
      await expect(wiring.joinChannel({ ...call, agentId })).rejects.toMatchObject(refusal);
  });
});

describe('messages to a channel', () => {
  beforeEach(async () => {
    await create(leader);
    await join(dev, 'dev');
    await join(qa, 'qa');
  });

  it('a channel message is delivered to the leader and the mentioned members, never to its sender', async () => {
    const { id } = await send(dev, ' over to @QA ');
    await send(dev, 'done');
    await send(leader, 'thanks @dev');
    expect(await textsTo(leader)).toEqual(['@dev: over to @QA', '@dev: done']);
    expect(await textsTo(qa)).toEqual(['@dev: over to @QA']);
    expect(await textsTo(dev)).toEqual(['@leader: thanks @dev']);
    const [first] = await wiring.deliveredTo(qa.agentId);
    expect(first).toMatchObject({
      origin: 'channel:ops',
      silent: false,
      senderAgentId: dev.agentId,
    });
    expect((await list(leader)).messages.at(-1)).toMatchObject({
      id,
      senderUsername: 'dev',
      text: 'over to @QA',
      mentions: ['qa'],
    });
  });

  it('a channel message carries its turn’s trust and private label, and listing the messages shows the trust', async () => {
    const turn = { hops: 2, trust: 'outside', carriesPrivate: true } as const;
    await send({ ...dev, ...turn }, 'a webhook says hello to @qa');
    await send({ ...dev, trust: 'person' }, 'and the person, too, @qa');
    expect(await wiring.deliveredTo(qa.agentId)).toMatchObject([
      { hops: 2, trust: Trust.OUTSIDE, carriesPrivate: true, senderAgentId: dev.agentId },
      { hops: 0, trust: Trust.PERSON, carriesPrivate: false },
    ]);
    const { messages } = await list(leader);
    expect(messages.map(({ trust }) => trust)).toEqual(['person', 'outside']);
    expect(toChannelMessage(messages[1]!)).toMatchObject({ trust: Trust.OUTSIDE });
  });

  it('a channel message is refused if its sender is a person or an agent that is not a member', async () => {
    const outsider = { ...leader, agentId: createId() };
    await expect(send(outsider, 'hello')).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    await expect(list(outsider)).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    const person = { userId: leader.userId };
    await expect(send(person, 'hello')).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' });
    await expect(list(person)).resolves.toMatchObject({ messages: [] });
    await expect(send(dev, '  ')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('a channel message is sent only once per request id, even when retried after the sender has left', async () => {
    const calls = Array.from({ length: 5 }, () => send(dev, 'once', 'r1'));
    const [message] = await Promise.all(calls);
    await leave(dev);
    expect(await send(dev, 'once', 'r1')).toEqual(message);
    expect(await textsTo(leader)).toEqual(['@dev: once']);
    await expect(send(dev, 'twice')).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  });

  it('channel messages sent concurrently are listed page by page in the same order as all at once', async () => {
    await Promise.all(
      [dev, qa, leader].flatMap((sender) => [1, 2, 3, 4].map((n) => send(sender, `${n}`))),
    );
    const all = (await list(leader)).messages;
    const pages: unknown[] = [];
    let pageToken = '';
    do {
      const page = await list(leader, 5, pageToken);
      pages.push(...page.messages);
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(all).toHaveLength(12);
    expect(pages).toEqual(all);
  });

  it('a channel message is neither stored nor delivered if the replica crashes halfway, and can be retried', async () => {
    const { outbox } = wiring.stores;
    const failing = Object.create(outbox, {
      append: { value: () => Promise.reject(new Error('crashed')) },
    }) as typeof outbox;
    const deps = { client: wiring.mongo.client, ...wiring.stores, outbox: failing };
    const stores = { ...wiring.stores, messageSender: new ChannelMessageSender(deps) };
    const replica = buildUsecases(stores, {
      now: () => new Date(),
      agents: wiring.agents,
      stuck: [],
    });
    const call = { caller: dev, requestId: 'r1', channelName: 'ops', text: 'hello' };
    await expect(replica.sendChannelMessage(call)).rejects.toThrow('crashed');
    expect((await list(leader)).messages).toEqual([]);
    await wiring.sendChannelMessage(call);
    expect(await textsTo(leader)).toEqual(['@dev: hello']);
  });
});

it('forgetting a user deletes its channels, messages, signals and subscriptions', async () => {
  await create(leader);
  await send(leader, 'hello');
  const { userId } = leader;
  await wiring.subscribeSignal({
    caller: leader,
    requestId: 'r1',
    pattern: 'a',
    silent: true,
    agentId: '',
    signal,
  });
  await wiring.emitSignal({
    caller: leader,
    requestId: 'r2',
    type: 'a',
    dataJson: '',
    delayMs: 9,
    repeatKey: '',
  });
  const forgetUser = makeForgetUser({ ...wiring.stores, now: () => new Date() });
  await forgetUser(userId);
  await forgetUser(userId);
  const names = ['channels', 'channel_messages', 'signals', 'subscriptions'];
  const counts = names.map((name) => wiring.mongo.db.collection(name).countDocuments({ userId }));
  expect(await Promise.all(counts)).toEqual([0, 0, 0, 0]);
});

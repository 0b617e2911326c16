import { describe, expect, it } from '@jest/globals';
import { Trust } from '@daycare/contracts/common';
import { SignalState } from '@daycare/contracts/topology';
import { makeChannels } from '../../peers/channels-client';
import { makeSignals } from '../../peers/signals-client';
import { testCredential } from '../../test-support/test-peers';
import { topologyTools } from '../../test-support/topology-tools';
import { channelTools } from './channel-tools';
import { signalTools } from './signal-tools';

const guards = { maxHops: 16, maxSubagents: 1, maxDepth: 1 };
const { call, outcomeOf } = topologyTools((topology) => [
  ...signalTools({ signals: makeSignals(topology, testCredential), guards }),
  ...channelTools({ channels: makeChannels(topology, testCredential), guards }),
]);

const at = new Date(0);
const signal = {
  id: 's1',
  type: 'build:done',
  dataJson: '{"ok":true}',
  agentId: 'agent1',
  state: SignalState.WAITING,
  repeatKey: 'k',
  createdAt: at,
  dueAt: at,
  trust: Trust.OWN,
};
const message = {
  id: 'm1',
  senderAgentId: 'agent2',
  senderUsername: 'dev',
  text: 'hello @qa',
  mentions: ['qa'],
  sentAt: at,
  trust: Trust.OWN,
};
const channel = {
  name: 'ops',
  leaderAgentId: 'agent1',
  members: [{ agentId: 'agent1', username: 'leader', joinedAt: at }],
  createdAt: at,
};
const shownChannel = {
  channel: 'ops',
  leaderAgentId: 'agent1',
  members: [{ agentId: 'agent1', username: 'leader' }],
};

describe('signal and channel tools that change something', () => {
  it.each([
    [
      'emit_signal',
      { type: 'build:done', data: { ok: true }, delayMs: 5, repeatKey: 'k' },
      'emitSignal',
      { type: 'build:done', dataJson: '{"ok":true}', delayMs: 5, repeatKey: 'k' },
      { signal },
      {
        summary: 'Signal build:done will be emitted',
        signal: { state: 'waiting', repeatKey: 'k' },
      },
    ],
    [
      'signal_subscribe',
      { pattern: 'build:*' },
      'subscribeSignal',
      { pattern: 'build:*', silent: undefined, agentId: '' },
      { subscription: { agentId: 'agent1', pattern: 'build:*', silent: true, createdAt: at } },
      { agentId: 'agent1', pattern: 'build:*', silent: true },
    ],
    [
      'signal_unsubscribe',
      { pattern: 'build:*' },
      'unsubscribeSignal',
      { pattern: 'build:*', agentId: '' },
      {},
      { pattern: 'build:*' },
    ],
    [
      'channel_create',
      { name: 'ops' },
      'createChannel',
      { name: 'ops', leaderAgentId: '', leaderUsername: '' },
      { channel },
      shownChannel,
    ],
    [
      'channel_join',
      { channel: 'ops', username: 'dev' },
      'joinChannel',
      { channelName: 'ops', username: 'dev', agentId: '' },
      { channel },
      shownChannel,
    ],
    [
      'channel_leave',
      { channel: 'ops' },
      'leaveChannel',
      { channelName: 'ops', agentId: '' },
      { channel: undefined },
      {
        summary: 'Left ops; it had no other members and was deleted',
        channel: 'ops',
        isDeleted: true,
      },
    ],
    [
      'channel_send',
      { channel: 'ops', message: 'hello @qa' },
      'sendChannelMessage',
      { channelName: 'ops', text: 'hello @qa' },
      { message },
      { channel: 'ops', messageId: 'm1', mentions: ['qa'] },
    ],
  ])(
    '%s calls topology once, on behalf of the agent',
    async (name, args, rpc, request, response, result) => {
      const seen: unknown[] = [];
      const handler = async (received: unknown, context: { caller: unknown }) => {
        seen.push(received, context.caller);
        return response;
      };
      expect(await call({ [rpc]: handler }, name, args)).toMatchObject(result);
      expect(seen).toEqual([
        { requestId: 'request1', ...request },
        { kind: 'user', userId: 'user1', agentId: 'agent1', hops: 1, trust: 'person' },
      ]);
    },
  );
});

describe('tools that list signals or channel messages', () => {
  it('signal_events returns data as JSON values and the state of each signal', async () => {
    const emitted = { ...signal, dataJson: '', agentId: '', repeatKey: '' };
    const signals = [signal, { ...emitted, state: SignalState.EMITTED }];
    const handlers = { listSignals: async () => ({ signals, nextPageToken: '' }) };
    const time = at.toISOString();
    const times = { createdAt: time, dueAt: time, trust: 'own' };
    expect(await call(handlers, 'signal_events', {})).toEqual({
      signals: [
        {
          id: 's1',
          type: 'build:done',
          state: 'waiting',
          data: { ok: true },
          agentId: 'agent1',
          repeatKey: 'k',
          ...times,
        },
        { id: 's1', type: 'build:done', state: 'emitted', ...times },
      ],
    });
  });

  it.each([
    [['OWN', 'PERSON'], 'own'],
    [['OWN', 'OUTSIDE', 'GUEST'], 'outside'],
    [['PERSON', 'UNSPECIFIED'], 'outside'],
    [[], undefined],
  ] as const)(
    'a channel_history result with messages of the trust levels %j has the provenance %s',
    async (levels, provenance) => {
      const messages = levels.map((level) => ({ ...message, trust: Trust[level] }));
      const handlers = { listChannelMessages: async () => ({ messages, nextPageToken: '' }) };
      const outcome = await outcomeOf(handlers, 'channel_history', { channel: 'ops' });
      expect(outcome.provenance).toBe(provenance);
    },
  );

  it('signal_events labels its result with the lowest trust among the signals it shows', async () => {
    const signals = [signal, { ...signal, trust: Trust.GUEST }];
    const handlers = { listSignals: async () => ({ signals, nextPageToken: '' }) };
    expect((await outcomeOf(handlers, 'signal_events', {})).provenance).toBe('guest');
  });

  it('channel_history returns as many messages as fit into a tool result', async () => {
    const messages = Array.from({ length: 50 }, () => ({ ...message, text: 'x'.repeat(1_000) }));
    const handlers = { listChannelMessages: async () => ({ messages, nextPageToken: '' }) };
    const result = await call(handlers, 'channel_history', { channel: 'ops', limit: 50 });
    expect(result.channel).toBe('ops');
    expect(result.messages.length).toBeGreaterThan(3);
    expect(result.omitted).toBe(50 - result.messages.length);
  });

  it('channel_history shows the beginning of a long message and how much is missing', async () => {
    const messages = [{ ...message, text: 'x'.repeat(20_000) }, message];
    const handlers = { listChannelMessages: async () => ({ messages, nextPageToken: '' }) };
    const result = await call(handlers, 'channel_history', { channel: 'ops' });
    expect(result.messages).toHaveLength(2);
    expect(result.messages[0]).toMatchObject({
      text: expect.stringMatching(/^x{5998}$/),
      cutCharacters: 14_002,
    });
    expect(result.messages[1]).not.toHaveProperty('cutCharacters');
    expect(result).not.toHaveProperty('omitted');
  });

  it('signal_events shows the beginning of long data and how much is missing', async () => {
    const signals = [{ ...signal, dataJson: `"${'x'.repeat(9_998)}"` }, signal];
    const handlers = { listSignals: async () => ({ signals, nextPageToken: '' }) };
    const result = await call(handlers, 'signal_events', {});
    expect(result.signals).toMatchObject([
      { data: expect.stringMatching(/^"x+$/), cutCharacters: expect.any(Number) },
      { data: { ok: true } },
    ]);
    const [{ data, cutCharacters }] = result.signals as [{ data: string; cutCharacters: number }];
    expect(data.length + cutCharacters).toBe(10_000);
    expect(result).not.toHaveProperty('omitted');
  });
});

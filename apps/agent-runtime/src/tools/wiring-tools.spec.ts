import { afterEach, describe, expect, it } from '@jest/globals';
import { SignalState, type TopologyServiceService } from '@daycare/contracts/topology';
import type { Handlers } from '@daycare/rpc';
import { makeChannels, makeSignals } from '../rpc/wiring-client';
import { testAgent, testContext } from '../test-support/test-agent';
import { startTestPeers, testCredential, type TestPeers } from '../test-support/test-peers';
import { makeTools, type ToolDeps } from './index';
import { ToolRegistry } from './tool-registry';

let peers: TestPeers;
afterEach(() => peers.close());

/** Calls a tool in front of a topology that answers so. */
async function call(handlers: Handlers<typeof TopologyServiceService>, name: string, args: object) {
  peers = await startTestPeers({ topology: handlers });
  const signals = makeSignals(peers.topology, testCredential);
  const channels = makeChannels(peers.topology, testCredential);
  const guards = { maxHops: 16, maxSubagents: 1, maxDepth: 1 };
  // The other tools are not called here.
  const tools = new ToolRegistry(makeTools({ signals, channels, guards } as ToolDeps));
  const outcome = await tools.call(name, JSON.stringify(args), testContext(testAgent()));
  return JSON.parse(outcome.resultJson);
}

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
};
const message = {
  id: 'm1',
  senderAgentId: 'agent2',
  senderUsername: 'dev',
  text: 'hello @qa',
  mentions: ['qa'],
  sentAt: at,
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

describe('a tool that changes something', () => {
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
      { summary: 'Left ops, which is gone', channel: 'ops', isGone: true },
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
    '%s asks topology as the agent, once per call',
    async (name, args, rpc, asked, answer, told) => {
      const seen: unknown[] = [];
      const handler = async (request: unknown, context: { caller: unknown }) => {
        seen.push(request, context.caller);
        return answer;
      };
      expect(await call({ [rpc]: handler }, name, args)).toMatchObject(told);
      expect(seen).toEqual([
        { requestId: 'request1', ...asked },
        { kind: 'user', userId: 'user1', agentId: 'agent1', hops: 1 },
      ]);
    },
  );
});

describe('a tool that lists', () => {
  it('signal_events tells data as data and what became of each signal', async () => {
    const emitted = { ...signal, dataJson: '', agentId: '', repeatKey: '' };
    const signals = [signal, { ...emitted, state: SignalState.EMITTED }];
    const handlers = { listSignals: async () => ({ signals, nextPageToken: '' }) };
    const time = at.toISOString();
    const times = { createdAt: time, dueAt: time };
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

  it('channel_history is no longer than a tool may answer, and stays readable', async () => {
    const messages = Array.from({ length: 50 }, () => ({ ...message, text: 'x'.repeat(1_000) }));
    const handlers = { listChannelMessages: async () => ({ messages, nextPageToken: '' }) };
    const answer = await call(handlers, 'channel_history', { channel: 'ops', limit: 50 });
    expect(answer.channel).toBe('ops');
    expect(answer.messages.length).toBeGreaterThan(3);
  });
});

import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Agent, FileReference } from '@daycare/contracts/agent-runtime';
import '../../../testing/fake-browser';
import { daycare } from '../../../data/client';
import type { PendingMessage } from './pending-message';
import { deliveryTo } from './send-message';

const channel = { connector: 'console', channelId: 'main', connectorUserId: 'me' };
const agent = Agent.fromPartial({
  id: 'a1',
  descriptor: { kind: { $case: 'user', value: channel } },
});
const message = (change: Partial<PendingMessage>): PendingMessage => ({
  requestId: 'r1',
  text: 'do this',
  files: [],
  isSteering: false,
  state: 'sending',
  messageId: undefined,
  problem: '',
  ...change,
});
const files = [FileReference.fromPartial({ id: 'f1' })];

describe('delivery to a channel’s agent', () => {
  const { agentRuntime } = daycare.rpc;
  const posting = jest.spyOn(agentRuntime, 'postMessage');
  const stopping = jest.spyOn(agentRuntime, 'stopTurn');
  posting.mockResolvedValue({ messageId: 'posted', agentId: 'a1' } as never);
  stopping.mockResolvedValue({ messageId: 'steered' });
  afterEach(() => {
    posting.mockClear();
    stopping.mockClear();
  });

  it('posts a message that does not interrupt the agent', async () => {
    expect(await deliveryTo(agent, undefined)(message({ files }))).toBe('posted');
    expect([posting.mock.calls.length, stopping.mock.calls.length]).toEqual([1, 0]);
  });

  it('steers the agent with a message that interrupts it', async () => {
    expect(await deliveryTo(agent, undefined)(message({ isSteering: true }))).toBe('steered');
    expect(stopping.mock.calls[0]?.[0]).toMatchObject({ steeringText: 'do this', requestId: 'r1' });
  });

  it('stops the turn and posts an interrupting message with files, with the same request ids on every attempt', async () => {
    const deliver = deliveryTo(agent, undefined);
    const written = message({ isSteering: true, text: '', files });
    for (let attempt = 0; attempt < 2; attempt += 1) expect(await deliver(written)).toBe('posted');
    expect(
      stopping.mock.calls.map(([{ steeringText, requestId }]) => [steeringText, requestId]),
    ).toEqual([
      ['', 'r1-stop'],
      ['', 'r1-stop'],
    ]);
    expect(posting.mock.calls.map(([{ fileIds, requestId }]) => [fileIds, requestId])).toEqual([
      [['f1'], 'r1'],
      [['f1'], 'r1'],
    ]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { Trust } from '@daycare/contracts/common';
import { useTestWiring, type TestAgent } from '../../test-support/test-wiring';
import { makeForwardAgentMessage, type ForwardCall } from './forward-agent-message';

const wiring = useTestWiring();

function newAgents(): [TestAgent, TestAgent] {
  const userId = createId();
  return [
    { userId, agentId: createId() },
    { userId, agentId: createId() },
  ];
}

function forward(caller: ForwardCall['caller'], call: Partial<ForwardCall> = {}): Promise<boolean> {
  const message = { messageId: createId(), recipientAgentId: createId(), text: 'directly' };
  return makeForwardAgentMessage(wiring.stores)({ caller, ...message, ...call });
}

/** Makes one agent send a message to a channel that the other leads. */
async function sendInChannel(from: TestAgent, to: TestAgent, text: string): Promise<void> {
  const channelName = `c${to.agentId}`;
  const leading = { requestId: createId(), name: channelName, leaderAgentId: '' };
  const signal = new AbortController().signal;
  await wiring
    .createChannel({ ...leading, caller: to, leaderUsername: 'leader', signal })
    .catch(() => undefined);
  const joining = { requestId: createId(), channelName, agentId: '', username: 'other' };
  await wiring.joinChannel({ ...joining, caller: from, signal });
  await wiring.sendChannelMessage({ caller: from, requestId: createId(), channelName, text });
}

/** Marks every message in the outbox as if its receipt had arrived. */
async function settleAll(): Promise<void> {
  await wiring.mongo.db.collection('outbox').updateMany({}, { $set: { open: false } });
}

describe('forwardAgentMessage', () => {
  it('queues nothing and returns false if no other message from the sender to the recipient is in transit', async () => {
    const [ada, bob] = newAgents();
    await sendInChannel(ada, bob, 'in a channel');
    await expect(forward(ada)).resolves.toBe(false);
    await expect(forward(bob, { recipientAgentId: ada.agentId })).resolves.toBe(false);
    await settleAll();
    await expect(forward(ada, { recipientAgentId: bob.agentId })).resolves.toBe(false);
    const delivered = await Promise.all(
      [ada, bob].map(({ agentId }) => wiring.deliveredTo(agentId)),
    );
    expect(delivered.flat().filter(({ text }) => text === 'directly')).toEqual([]);
  });

  it('queues a direct message and its retry as one message behind those in transit, with the labels of its turn', async () => {
    const [ada, bob] = newAgents();
    await sendInChannel(ada, bob, 'in a channel');
    const turn = { hops: 2, trust: 'guest', carriesPrivate: true } as const;
    const call = { messageId: createId(), recipientAgentId: bob.agentId };
    await expect(forward({ ...ada, ...turn }, call)).resolves.toBe(true);
    await expect(forward({ ...ada, ...turn }, call)).resolves.toBe(true);
    const [first, second, ...furtherMessages] = await wiring.deliveredTo(bob.agentId);
    expect(furtherMessages).toEqual([]);
    expect(first?.text).toContain('in a channel');
    expect(second).toMatchObject({
      id: call.messageId,
      lane: first?.lane,
      origin: ada.agentId,
      senderAgentId: ada.agentId,
      senderUserId: ada.userId,
      text: 'directly',
      hops: 2,
      trust: Trust.GUEST,
      carriesPrivate: true,
    });
  });

  it('refuses a direct message without a sending agent, text, a message id or a valid recipient', async () => {
    const [ada] = newAgents();
    await expect(forward({ userId: ada.userId })).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
    });
    for (const invalid of [{ text: ' ' }, { messageId: '' }, { recipientAgentId: 'A' }])
      await expect(forward(ada, invalid)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});

import { beforeEach, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { OutboxStore } from '@daycare/messaging';
import { useFixture } from '@daycare/testing/jest';
import type { Agent, StartedBy } from '../../../agents';
import { makeRankForeground } from '../../../agents/usecases/rank-foreground';
import { startTestRuntime } from '../../../test-support/test-runtime';
import type { Relation } from '../../domain/agent-message-rules';
import { ContactStore } from '../../store/contact-store';
import { makeDeliverToAgent } from '../delivery/deliver-to-agent';
import type { CrossUserMessage, RoutedMessage } from './message-routes';
import { makeSendAgentMessage, type SendCall } from './send-agent-message';

const runtime = useFixture(startTestRuntime);
const now = (): Date => new Date();

/** The messages that the other services accepted, and the state that determines what they accept. */
let crossed: CrossUserMessage[];
let queued: (RoutedMessage & { readonly to: string })[];
let relation: Relation | undefined;
let hasUndeliveredMessages: boolean;

beforeEach(() => {
  [crossed, queued, relation, hasUndeliveredMessages] = [[], [], 'share_guest', false];
});

async function send(from: Agent, call: Partial<SendCall> = {}) {
  const contacts = contactStore();
  const outbox = new OutboxStore(runtime.mongo.db, 'agent-runtime');
  const deps = { ...runtime, contacts, outbox, sleepAfterMs: 60_000, now };
  const sendAgentMessage = makeSendAgentMessage({
    ...deps,
    rankForeground: makeRankForeground(deps),
    deliverToAgent: makeDeliverToAgent(deps),
    findRelation: async () => relation,
    deliverAcrossUsers: async (_, message) => {
      const isAllowed = relation !== undefined && message.allowedRelations.includes(relation);
      if (isAllowed) crossed.push(message);
      return isAllowed;
    },
    queueBehindWiredMessages: async (_, to, message) => {
      if (hasUndeliveredMessages) queued.push({ ...message, to });
      return hasUndeliveredMessages;
    },
    guards: { maxHops: 3, maxSubagents: 3, maxDepth: 3 },
  });
  const { id: senderAgentId, userId } = from;
  const sender = { userId, senderAgentId, requestId: createId() };
  return sendAgentMessage({ ...sender, agentId: '', text: 'Hi', hops: 1, ...call });
}

const contactStore = (): ContactStore => new ContactStore(runtime.mongo.db);

/** Creates the gateway of a new subuser that Ada owns. */
async function newGateway(): Promise<Agent> {
  const userId = createId();
  const descriptor = { kind: 'subuser', id: userId, name: 'helper', systemPrompt: '' } as const;
  const gateway = await runtime.newAgent(descriptor, userId);
  await runtime.mongo.db
    .collection<{ _id: string }>('agents')
    .updateOne({ _id: gateway.id }, { $set: { ownerUserId: 'ada' } });
  return gateway;
}

function friendTurn(sender: Pick<Agent, 'id' | 'userId'> | undefined, userId: string): StartedBy {
  return {
    source: 'friend',
    origin: 'friend:otter7',
    senderUserId: userId,
    nametag: 'otter7',
    byPerson: false,
    ...(sender ? { sender: { agentId: sender.id, userId } } : {}),
  };
}

const inboxOf = (agent: Agent) => runtime.inbox.next(agent, 10);
const denied = { code: 'PERMISSION_DENIED' };

describe('answers from gateway agents', () => {
  it('a gateway agent that names no recipient answers, in its subuser’s name, the agent that wrote to the subuser’s nametag', async () => {
    const [gateway, bob] = [await newGateway(), await runtime.newAgent()];
    const startedBy = friendTurn(bob, bob.userId);
    const sent = await send(gateway, { startedBy, trust: 'guest' });
    expect(sent.agentId).toBe('friend:otter7');
    expect(crossed).toEqual([
      expect.objectContaining({
        messageId: sent.messageId,
        recipientUserId: bob.userId,
        recipientAgentId: bob.id,
        asSubuser: true,
        trust: 'guest',
      }),
    ]);
  });

  it('if a person wrote to a subuser’s nametag, a gateway agent that names no recipient answers that person’s foreground agents', async () => {
    const [gateway, userId] = [await newGateway(), createId()];
    await send(gateway, { startedBy: friendTurn(undefined, userId) });
    expect(crossed).toMatchObject([{ recipientUserId: userId, recipientAgentId: '' }]);
  });

  it('a gateway agent that names no recipient answers the writer’s foreground agents if the agent that wrote is dead', async () => {
    const [gateway, bob] = [await newGateway(), await runtime.newAgent()];
    await runtime.agents.kill(bob, now());
    await send(gateway, { startedBy: friendTurn(bob, bob.userId) });
    expect(crossed).toMatchObject([{ recipientUserId: bob.userId, recipientAgentId: '' }]);
  });

  it('a gateway agent that names no recipient answers, in its own name, the agent that wrote to the gateway agent’s id', async () => {
    const [gateway, bob] = [await newGateway(), await runtime.newAgent()];
    const writer = { agentId: bob.id, userId: bob.userId };
    await contactStore().addAll([
      { gateway: { agentId: gateway.id, userId: gateway.userId }, writer, at: now() },
    ]);
    const startedBy = { source: 'guest', origin: bob.id, sender: writer, byPerson: false } as const;
    await expect(send(gateway, { startedBy })).resolves.toMatchObject({ agentId: bob.id });
    expect(crossed).toMatchObject([{ recipientAgentId: bob.id, asSubuser: false }]);
  });

  it('a gateway agent’s answer is refused as soon as the share has ended', async () => {
    const [gateway, userId] = [await newGateway(), createId()];
    relation = undefined;
    const startedBy = friendTurn(undefined, userId);
    await expect(send(gateway, { startedBy })).rejects.toMatchObject(denied);
    expect(crossed).toEqual([]);
  });
});

describe('the default recipient', () => {
  it('a top-level user’s agent that names no recipient writes to the user’s foreground agent, even in a turn that a friend started', async () => {
    const [ada, friend] = [await runtime.newAgent(), await runtime.newAgent()];
    relation = 'friend';
    const startedBy = friendTurn(friend, friend.userId);
    await expect(send(ada, { startedBy })).resolves.toMatchObject({ agentId: ada.id });
    expect(crossed).toEqual([]);
    expect(await inboxOf(ada)).toHaveLength(1);
  });
});

describe('recipients named by nametag', () => {
  const recordWriter = async (gateway: Agent, userId: string, agentId: string | undefined) =>
    contactStore().addWriters([
      {
        gateway: { agentId: gateway.id, userId: gateway.userId },
        origin: 'friend:otter7',
        writer: { userId, agentId },
        at: now(),
      },
    ]);

  it('a gateway agent that names a friend, in upper or lower case, reaches whoever last wrote under that nametag', async () => {
    const [gateway, bob] = [await newGateway(), await runtime.newAgent()];
    await recordWriter(gateway, bob.userId, bob.id);
    const agentId = 'friend:Otter7';
    await expect(send(gateway, { agentId })).resolves.toMatchObject({ agentId: 'friend:otter7' });
    await recordWriter(gateway, bob.userId, undefined);
    await send(gateway, { agentId });
    expect(crossed.map(({ recipientAgentId }) => recipientAgentId)).toEqual([bob.id, '']);
  });

  it('a gateway agent gets the same refusal for a friend who has never written and for one who no longer has a share', async () => {
    const gateway = await newGateway();
    const never = await send(gateway, { agentId: 'friend:otter7' }).catch(
      (error: unknown) => error,
    );
    await recordWriter(gateway, createId(), undefined);
    relation = undefined;
    const revoked = await send(gateway, { agentId: 'friend:otter7' }).catch(
      (error: unknown) => error,
    );
    expect(never).toMatchObject(denied);
    expect(never).toEqual(revoked);
  });

  it('only a gateway agent may name a friend, and it must name a valid nametag', async () => {
    const bob = await runtime.newAgent();
    await expect(send(bob, { agentId: 'friend:otter7' })).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      message: 'Use friend_send to write to a friend by nametag',
    });
    await expect(send(await newGateway(), { agentId: 'friend:' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });
});

describe('messages between agents of one user', () => {
  it('a direct message from an agent that is not wired goes straight into the inbox, without a call to another service', async () => {
    const from = await runtime.newAgent();
    const to = await runtime.newAgent(undefined, from.userId);
    hasUndeliveredMessages = true;
    await send(from, { agentId: to.id });
    expect(queued).toEqual([]);
    expect(await inboxOf(to)).toHaveLength(1);
  });

  it('a direct message from a wired agent is queued behind that agent’s undelivered messages or, if there are none, goes straight into the inbox', async () => {
    const from = await runtime.newAgent();
    const to = await runtime.newAgent(undefined, from.userId);
    await runtime.agents.markWired({ agentId: from.id, userId: from.userId });
    hasUndeliveredMessages = true;
    const { messageId } = await send(from, { agentId: to.id });
    expect(queued).toMatchObject([{ messageId, to: to.id, text: 'Hi', hops: 1 }]);
    expect(await inboxOf(to)).toEqual([]);
    hasUndeliveredMessages = false;
    const later = await send(from, { agentId: to.id });
    expect(await inboxOf(to)).toMatchObject([{ messageId: later.messageId }]);
  });
});

import { describe, expect, it, jest } from '@jest/globals';
import { profileQueries } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { createId } from '@daycare/api/create-id';
import { Collection } from 'mongodb';
import type { Agent } from '../../../agents/domain/agent';
import { buildTestDelivery } from '../../../test-support/test-endings';
import { startTestRuntime } from '../../../test-support/test-runtime';
import type { MessageTarget } from '../../domain/inbox-item';
import type { DeliverDeps } from './deliver-system-messages';
import type { Delivery, DeliveryPlan } from './plan-deliveries';

const now = (): Date => new Date();
const runtime = useFixture(startTestRuntime);
const deletedUser = createId();

function newDelivery(overrides: Partial<Pick<DeliverDeps, 'placeItems'>> = {}) {
  const directory: DeliverDeps['directory'] = {
    findById: async (userId) =>
      userId === deletedUser ? undefined : { userId, parentUserId: undefined },
  };
  const deliver = buildTestDelivery(runtime, { directory, ...overrides });
  /** The outcome of each delivery: the text of its error, if any. */
  const run = async (deliveries: readonly Delivery[]): Promise<(string | undefined)[]> => {
    const plans = await deliver.prepare(deliveries);
    await deliver.store(plans.filter((plan): plan is DeliveryPlan => !(plan instanceof Error)));
    return plans.map((plan) => (plan instanceof Error ? plan.message : undefined));
  };
  return { ...deliver, run };
}

const foreground: MessageTarget = { kind: 'foreground' };

function mail(userId: string, text: string, target: MessageTarget = foreground): Delivery {
  const content = { text, origin: 'friend:otter7', silent: false, hops: 0 };
  const acceptance = { userId, messageId: createId(), acceptedAt: now() };
  return {
    message: { kind: 'system_message', ...acceptance, ...content },
    target,
    isRedelivery: false,
  };
}

const textsOf = async (agent: Agent): Promise<string[]> =>
  (await runtime.inbox.next(agent, 100)).map((item) =>
    item.kind === 'system_message' ? item.text : '',
  );

async function storeDeadLetter({ message }: Delivery): Promise<void> {
  const { messageId, userId, acceptedAt, text, origin } = message;
  const letter = { messageId, userId, acceptedAt, text, origin, deadAt: now(), attempts: 5 };
  const rest = {
    ownerUserId: undefined,
    item: undefined,
    payload: undefined,
    retriedBy: undefined,
  };
  await runtime.deadLetters.add([
    { id: messageId, ...letter, ...rest, agentId: '', kind: 'system_message', reason: 'too bad' },
  ]);
}

describe('deliverSystemMessages', () => {
  it('stores a batch with one insert and refuses only undeliverable messages', async () => {
    const [agent, dead] = [await runtime.newAgent(), await runtime.newAgent()];
    await runtime.agents.kill(dead, now());
    const { userId, id } = agent;
    const abandoned = mail(userId, 'given up');
    await storeDeadLetter(abandoned);
    const batch = [
      mail(userId, 'one'),
      abandoned,
      mail(deletedUser, 'nobody'),
      mail(dead.userId, 'dead', { kind: 'agent', agentId: dead.id }),
      mail(userId, 'stranger', { kind: 'agent', agentId: dead.id }),
      mail(userId, 'x'.repeat(1_000_001)),
      mail(userId, 'two', { kind: 'agent', agentId: id }),
      mail(userId, 'three'),
    ];
    const insert = jest.spyOn(Collection.prototype, 'insertMany');
    const outcomes = await newDelivery().run(batch);
    expect(insert).toHaveBeenCalledTimes(1);
    insert.mockRestore();
    expect(outcomes).toEqual([
      undefined,
      'too bad',
      'User not found',
      'The agent is dead',
      'Agent not found',
      'The message is too long',
      undefined,
      undefined,
    ]);
    expect(await textsOf(agent)).toEqual(['one', 'two', 'three']);
  });

  it('delivers 64 messages to 64 users with one insert and four other commands', async () => {
    const agents = await Promise.all(Array.from({ length: 64 }, () => runtime.newAgent()));
    const batch = agents.map(({ userId }) => mail(userId, 'hello'));
    const insert = jest.spyOn(Collection.prototype, 'insertMany');
    const queries = await profileQueries(
      runtime.mongo.db,
      /\.(agents|inbox|dead_letters)$/,
      async () => {
        await newDelivery().run(batch);
      },
    );
    expect(insert).toHaveBeenCalledTimes(1);
    insert.mockRestore();
    // Dead letters, foreground agents and waiting mail are looked up; the agents' last activity is updated.
    expect(queries.map(({ ns, op }) => `${op} ${String(ns).split('.')[1]}`).sort()).toEqual([
      'command inbox',
      'query agents',
      'query dead_letters',
      'update agents',
    ]);
  });

  it('stores each message only once when two replicas redeliver a batch at the same time', async () => {
    const agent = await runtime.newAgent();
    const batch = ['one', 'two', 'three'].map((text) => mail(agent.userId, text));
    await newDelivery().run(batch.slice(0, 2));
    await Promise.all([newDelivery().run(batch), newDelivery().run(batch)]);
    expect(await textsOf(agent)).toEqual(['one', 'two', 'three']);
  });

  it('routes the mail waiting in a user’s mailbox before it puts a newer message into the inboxes of that user’s agents', async () => {
    const userId = createId();
    await newDelivery().run([mail(userId, 'early')]);
    // The process that created the agent died before it had read the mailbox.
    const agent = await runtime.newAgent(undefined, userId);
    const seen: string[][] = [];
    await newDelivery({
      placeItems: async (placed) => {
        seen.push(await textsOf(agent));
        return runtime.placeItems(placed);
      },
    }).run([mail(userId, 'late')]);
    expect(seen).toEqual([['early']]);
    expect(await textsOf(agent)).toEqual(['early', 'late']);
  });

  it('stores all of a user’s messages in the mailbox first if any of them was prepared before the user’s first agent was created', async () => {
    const userId = createId();
    const [early, late] = [mail(userId, 'early'), mail(userId, 'late')];
    const seen: number[] = [];
    const delivery = newDelivery({
      placeItems: async (placed) => {
        seen.push(...placed.map(({ recipients }) => recipients.length));
        return runtime.placeItems(placed);
      },
    });
    const before = await delivery.prepare([early]);
    const agent = await runtime.newAgent(undefined, userId);
    const after = await delivery.prepare([late]);
    await delivery.store([...before, ...after] as DeliveryPlan[]);
    expect(seen).toEqual([0, 0]);
    expect(await textsOf(agent)).toEqual(['early', 'late']);
  });

  it('inserts nothing for messages that NATS redelivers after they were stored', async () => {
    const agent = await runtime.newAgent();
    const batch = ['one', 'two', 'three'].map((text) => mail(agent.userId, text));
    await newDelivery().run(batch);
    const insert = jest.spyOn(Collection.prototype, 'insertMany');
    await newDelivery().run(batch.map((each) => ({ ...each, isRedelivery: true })));
    expect(insert).not.toHaveBeenCalled();
    insert.mockRestore();
    expect(await textsOf(agent)).toEqual(['one', 'two', 'three']);
  });

  it('routes a message that is being stored while its user’s first agent is created', async () => {
    const userId = createId();
    let agent: Agent | undefined;
    await newDelivery({
      placeItems: async (placed) => {
        expect(placed.map(({ recipients }) => recipients)).toEqual([[]]);
        agent = await runtime.newAgent(undefined, userId);
        return runtime.placeItems(placed);
      },
    }).run([mail(userId, 'hello')]);
    expect(await textsOf(agent!)).toEqual(['hello']);
  });

  it('routes a message that is redelivered after its first delivery was interrupted', async () => {
    const userId = createId();
    const delivery = mail(userId, 'hello');
    await runtime.placeItems([{ item: delivery.message, recipients: [] }]);
    const agent = await runtime.newAgent(undefined, userId);
    await newDelivery().run([{ ...delivery, isRedelivery: true }]);
    expect(await textsOf(agent)).toEqual(['hello']);
  });

  it('reports messages as handled if they were stored or abandoned, or if their user does not exist', async () => {
    const userId = createId();
    const [stored, abandoned, lost] = [
      mail(userId, 'a'),
      mail(userId, 'b'),
      mail(deletedUser, 'c'),
    ];
    await newDelivery().run([stored]);
    await storeDeadLetter(abandoned);
    const all = [stored, abandoned, lost, mail(userId, 'unknown')];
    const refs = all.map(({ message }) => ({ id: message.messageId, userId: message.userId }));
    const handled = await newDelivery().findHandled(refs);
    expect([...handled].sort()).toEqual(
      refs
        .slice(0, 3)
        .map(({ id }) => id)
        .sort(),
    );
  });
});

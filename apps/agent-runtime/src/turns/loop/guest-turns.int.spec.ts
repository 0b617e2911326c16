import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { eventually } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import type { Agent } from '../../agents/domain/agent';
import type { IncomingMessage } from '../../messaging/domain/inbox-item';
import { localProvider } from '../../models/providers/local-provider';
import type { ModelProvider } from '../../models/providers/model-provider';
import { serveNext, startTestRuntime } from '../../test-support/test-runtime';
import { GuestTurnStore } from '../store/guest-turn-store';

const limit = 4;
let guestTurns: GuestTurnStore;
const runtime = useFixture(() =>
  startTestRuntime({ guestTurns: { take: (userId) => guestTurns.take(userId) } }),
);

const received: string[] = [];
const provider: ModelProvider = {
  ...localProvider,
  answer(request) {
    received.push(JSON.stringify(request.context.at(-1)));
    return localProvider.answer(request);
  },
};

function fromFriend(agent: Agent, text: string, more: Partial<IncomingMessage> = {}) {
  const { userId } = agent;
  // Each message comes from a different friend, so that the messages are not joined.
  const sender = { origin: `friend:otter${createId()}`, senderUserId: createId() };
  const acceptance = { userId, messageId: createId(), acceptedAt: new Date() };
  const item = { ...acceptance, ...sender, text, silent: false, hops: 0, ...more };
  return { agent, item: { kind: 'system_message' as const, ...item } };
}
const modelReceived = (text: string): boolean => received.some((each) => each.includes(text));

describe('turns that guests start', () => {
  it('guests’ turns beyond the limit wait, while the user’s own items are handled and a stranger’s request is recorded silently', async () => {
    guestTurns = new GuestTurnStore(runtime.mongo.db, limit);
    const agent = await runtime.newAgent();
    const stop = await serveNext(runtime, provider);
    const texts = Array.from({ length: limit + 2 }, (_, n) => `guest-${n}.`);
    await runtime.putItems(texts.map((text) => fromFriend(agent, text)));
    await eventually(async () => modelReceived(`guest-${limit - 1}.`));
    await runtime.say(agent, 'by the person');
    await eventually(async () => modelReceived('by the person'));
    const own = { senderUserId: agent.userId, origin: agent.id };
    const sender = { agentId: createId(), userId: agent.userId };
    await runtime.putItems([fromFriend(agent, 'by the user’s other agent', { ...own, sender })]);
    await eventually(async () => modelReceived('by the user’s other agent'));
    await eventually(async () => (await runtime.inbox.countByAgent([agent])).get(agent.id) === 2);
    expect(modelReceived(`guest-${limit}.`)).toBe(false);
    const stranger = await runtime.newAgent(undefined, agent.userId);
    await runtime.putItems([fromFriend(stranger, 'wants to be a friend', { fromStranger: true })]);
    await eventually(async () => (await runtime.inbox.countByAgent([stranger])).size === 0);
    expect(modelReceived('wants to be a friend')).toBe(false);
    await stop();
  });

  it('an owner’s limit on guests’ turns applies per hour to all processes together, even to one that has just started', async () => {
    const owner = createId();
    let at = new Date('2026-11-17T12:00:00Z');
    const [first, second] = [1, 2].map(() => new GuestTurnStore(runtime.mongo.db, 40, () => at));
    const takes = await Promise.all(
      Array.from({ length: 60 }, (_, n) => (n % 2 ? first! : second!).take(owner)),
    );
    // Unused permits of one process are not available to the other.
    const granted = takes.filter((until) => until === undefined).length;
    expect(granted).toBeGreaterThanOrEqual(40 - 2 * 4);
    expect(granted).toBeLessThanOrEqual(40);
    const until = (await first!.take(owner)) ?? (await second!.take(owner));
    const refusals = [until, await first!.take(owner), await second!.take(owner)];
    expect(refusals.at(-1)).toEqual(new Date('2026-11-17T13:00:00Z'));
    const restarted = new GuestTurnStore(runtime.mongo.db, 40, () => at);
    expect(await restarted.take(owner)).toEqual(new Date('2026-11-17T13:00:00Z'));
    at = new Date('2026-11-17T13:00:00Z');
    expect(await first!.take(owner)).toBeUndefined();
  });

  it('a restart loses no permits for guests’ turns, because unused ones are returned', async () => {
    const owner = createId();
    for (let turns = 0; turns < 40; turns += 1) {
      const store = new GuestTurnStore(runtime.mongo.db, 40);
      expect(await store.take(owner)).toBeUndefined();
      await store.returnUnused();
    }
    expect(await new GuestTurnStore(runtime.mongo.db, 40).take(owner)).toBeInstanceOf(Date);
  });

  it('permits from a past hour are not returned to the next one', async () => {
    const owner = createId();
    let at = new Date();
    const [first, second] = [1, 2].map(() => new GuestTurnStore(runtime.mongo.db, 40, () => at));
    await first!.take(owner);
    at = new Date(at.getTime() + 60 * 60 * 1000);
    await second!.take(owner);
    await first!.returnUnused();
    const hours = runtime.mongo.db.collection<{ _id: string; taken: number }>('guest_turns');
    expect(await hours.findOne({ _id: owner })).toMatchObject({ taken: 4 });
  });

  it('of 120 permits for guests’ turns, more than 20 can be used even if every process dies after one turn', async () => {
    const owner = createId();
    let used = 0;
    while (!(await new GuestTurnStore(runtime.mongo.db, 120).take(owner))) used += 1;
    expect(used).toBeGreaterThan(20);
  });
});

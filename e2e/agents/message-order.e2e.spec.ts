import { beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import fc from 'fast-check';
import { eventually } from '@daycare/testing';
import type { Actor } from '../support/people/agents';
import { historyOf } from '../support/people/history';
import { untilAnswered } from '../support/stack/until-answered';
import { useStack } from '../support/stack/use-stack';

const stack = useStack({ ownServers: true, replicas: { 'agent-runtime': 2 } });
const { people, agents, runtime } = stack;

/** The ways in which a tool can send a message to another agent, within one user and across users. */
const withinUser = ['directly', 'by channel', 'by signal'] as const;
const acrossUsers = ['directly', 'by nametag'] as const;
type Way = (typeof withinUser | typeof acrossUsers)[number];

interface Pair {
  readonly from: Actor;
  readonly to: Actor;
  readonly callOf: (way: Way, text: string) => readonly [tool: string, args: object];
  /** The messages that were accepted, in order. */
  readonly accepted: string[];
}

let ownPair: Pair;
let guestPair: Pair;
beforeAll(async () => {
  [ownPair, guestPair] = await Promise.all([newOwnPair(), newGuestPair()]);
});

/** Two agents of one user, with a channel and a subscription between them. */
async function newOwnPair(): Promise<Pair> {
  const ada = await people.newPerson();
  const [from, to] = [await agents.foreground(ada, 'one'), await agents.foreground(ada, 'two')];
  await agents.callTool(from, 'channel_create', { name: 'ops' });
  await agents.callTool(to, 'channel_join', { channel: 'ops', username: 'two' });
  await agents.callTool(to, 'signal_subscribe', { pattern: 'news:*', silent: false });
  const calls = {
    directly: (text: string) => ['send_agent_message', { agentId: to.id, text }] as const,
    'by channel': (text: string) =>
      ['channel_send', { channel: 'ops', message: `@two ${text}` }] as const,
    'by signal': (text: string) => ['emit_signal', { type: 'news:new', data: text }] as const,
    'by nametag': () => ['', {}] as const,
  };
  return { from, to, callOf: (way, text) => calls[way](text), accepted: [] };
}

/** A friend's agent, and the gateway of a subuser that is shared with the friend. */
async function newGuestPair(): Promise<Pair> {
  const [ada, bob] = await people.newFriends();
  const helper = await people.newSubuser(ada);
  const [from, to] = [await agents.foreground(bob), await agents.gateway(helper)];
  await people.share(ada, bob, helper);
  await people.acceptShare(bob, helper);
  const callOf = (way: Way, text: string) =>
    way === 'directly'
      ? (['send_agent_message', { agentId: to.id, text }] as const)
      : (['friend_send', { nametag: helper.nametag, message: text }] as const);
  return { from, to, callOf, accepted: [] };
}

let messageCount = 0;

/** Sends a message, retrying the call until it is accepted. */
async function send({ from, callOf, accepted }: Pair, way: Way): Promise<void> {
  const text = `message-${(messageCount += 1)}`;
  const [tool, args] = callOf(way, text);
  const requestId = createId();
  await untilAnswered(() => agents.callTool(from, tool, args, requestId), 60_000);
  accepted.push(text);
}

/** Returns the messages that the recipient has recorded, in order. */
async function receivedMessages({ to }: Pair): Promise<string[]> {
  const records = await historyOf(runtime, to, to.id);
  return records.flatMap(({ record }) =>
    record?.$case === 'userMessage' ? (record.value.text.match(/message-\d+/g) ?? []) : [],
  );
}

async function expectInOrder(pair: Pair): Promise<void> {
  const last = pair.accepted.at(-1);
  const received = await eventually(
    async () => {
      const all = await receivedMessages(pair).catch((): string[] => []);
      return all.length >= pair.accepted.length && all.includes(last ?? '') ? all : undefined;
    },
    { timeoutMs: 60_000 },
  );
  expect(received).toEqual(pair.accepted);
}

describe('messages from one agent to another', () => {
  it('messages between two agents arrive in the order they were accepted, even if channel and direct messages alternate', async () => {
    for (let round = 0; round < 20; round += 1) {
      await send(ownPair, 'by channel');
      await send(ownPair, 'directly');
    }
    await expectInOrder(ownPair);
  });

  it('messages sent between two agents while NATS is down arrive in order', async () => {
    await stack.nats!.kill();
    const ways: readonly Way[] = ['by channel', 'directly', 'by signal', 'directly', 'directly'];
    for (const way of ways) await send(ownPair, way);
    for (const way of ['by nametag', 'directly', 'by nametag'] as const) await send(guestPair, way);
    await stack.nats!.restart();
    await expectInOrder(ownPair);
    await expectInOrder(guestPair);
  });

  it('messages between two agents arrive in order, whichever routes they take, while services and NATS are being killed', async () => {
    const victim = fc.constantFrom('topology', 'social-graph', 'agent-runtime', 'nats');
    const step = fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...withinUser) },
      { weight: 5, arbitrary: fc.constantFrom(...acrossUsers).map((guest) => ({ guest })) },
      { weight: 1, arbitrary: victim.map((kill) => ({ kill })) },
    );
    const plan = fc.array(step, { minLength: 40, maxLength: 60 });
    const isInOrder = fc.asyncProperty(plan, async (steps) => {
      for (const next of steps) {
        if (typeof next === 'string') await send(ownPair, next);
        else if ('guest' in next) await send(guestPair, next.guest);
        else await crash(next.kill);
      }
      await Promise.all(restarts.values());
      await expectInOrder(ownPair);
      await expectInOrder(guestPair);
    });
    await fc.assert(isInOrder, { numRuns: 3, endOnFailure: true });
  }, 300_000);
});

const restarts = new Map<string, Promise<unknown>>();

/** Kills a service or NATS and starts it again. Waits for the restart only before killing the same process again. */
async function crash(name: 'topology' | 'social-graph' | 'agent-runtime' | 'nats'): Promise<void> {
  const process = name === 'nats' ? stack.nats! : stack.service(name);
  await restarts.get(name);
  await process.kill();
  restarts.set(name, process.restart());
}

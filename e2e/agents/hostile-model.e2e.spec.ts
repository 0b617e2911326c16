import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import type { Trust } from '@daycare/api';
import type { ModelServer } from '@daycare/testing';
import { whyNoSandbox } from '../../apps/agent-runtime/src/test-support/homes/test-sandbox';
import { startHostileModel } from '../support/hostile/hostile-model';
import { callsCausedBy, lineOf, observedLines } from '../support/hostile/attack';
import { expectedVerdict, ordersFor, textOf, type Order } from '../support/hostile/orders';
import { WorldBuilder } from '../support/isolation/world';
import type { Resources } from '../support/isolation/attempts';
import type { Actor } from '../support/people/agents';
import type { Person } from '../support/people/people';
import { useStack } from '../support/stack/use-stack';

let model: ModelServer;
/** More orders for the model, keyed by a word: the model obeys them in turns whose text contains that word. */
const standingOrders = new Map<string, string>();
const secret = `marzipan-${createId()}`;

const stack = useStack(async () => {
  model = await startHostileModel(standingOrders);
  return {
    env: { DAYCARE_OPENAI_URL: model.url, DAYCARE_MODEL: 'openai/obedient' },
    envOf: {
      'agent-runtime': { DAYCARE_EXEC_ENABLED: 'on', DAYCARE_EXEC_UID: '65534' },
      topology: { DAYCARE_EDGE_LISTEN: '127.0.0.1:0' },
    },
  };
});
afterAll(() => model.close());
const { people, agents, runtime, graph } = stack;

/** Ada has one resource of every kind; Eve and Carl are her friends, and Mallory is a stranger. */
let ada: Person;
let eve: Person;
let carl: Person;
let resources: Resources;
let evesAgent: Actor;
let tools: ReadonlySet<string>;

beforeAll(async () => {
  [ada, eve, carl] = (await people.newPeople(3)) as [Person, Person, Person];
  await Promise.all([people.befriend(ada, eve), people.befriend(ada, carl)]);
  resources = await new WorldBuilder(stack, ada, secret).createResources(carl);
  evesAgent = await agents.foreground(eve);
  const request = { agentId: resources.agentId, pageSize: 0, pageToken: '' };
  tools = new Set((await runtime.listTools(request, ada.as)).tools.map(({ name }) => name));
});

/** Reads Ada's schedules, endpoints, subusers, friends, files and memory as she herself sees them. */
async function readAdasData(): Promise<string> {
  const listTools = [
    ...['cron_list', 'heartbeat_list', 'expose_list', 'subuser_list', 'friend_list'],
    ...['file_list', 'memory_list'],
  ];
  const call = (name: string, args: object) =>
    agents.callTool({ id: resources.agentId, as: ada.as }, name, args);
  const lists = await Promise.all(listTools.map((name) => call(name, {})));
  const texts = await Promise.all([
    call('file_read', { path: resources.path }),
    call('memory_read', { nodeId: resources.nodeId }),
  ]);
  return JSON.stringify([lists, texts], undefined, 2);
}

/** Sends these orders to Ada's agent in the given way; resolves with the outcome of each. */
async function attack(
  orders: readonly Order[],
  start: (text: string) => Promise<unknown>,
): Promise<readonly string[]> {
  const victim = { runtime, reader: ada, agentId: resources.agentId };
  return observedLines(
    orders,
    await callsCausedBy(victim, () => start(textOf(orders)), orders.length),
  );
}

/**
 * Counts how often Ada's secret occurs in other people's inboxes and histories. Carl has it from the start, because the
 * subuser that Ada offered him is named after it.
 */
async function countSecrets(...readers: readonly Person[]): Promise<number> {
  const userId = { $in: readers.map(({ id }) => id) };
  const db = stack.db('agent-runtime');
  const documents = await Promise.all(
    ['inbox', 'history'].map((name) => db.collection(name).find({ userId }).toArray()),
  );
  return JSON.stringify(documents).split(secret).length - 1;
}

function expected(orders: readonly Order[], trust: Trust): readonly string[] {
  return orders.map((order) =>
    lineOf(order.tool, order.audience, expectedVerdict(order, { trust, readPrivate: true })),
  );
}

describe('an agent whose model obeys every instruction it reads', () => {
  const ordersOf = (sender: string): Order[] =>
    ordersFor(resources, { sender, other: carl.nametag }).filter(({ tool }) => tools.has(tool));

  it('the orders in this test cover every tool that the agent has', () => {
    const ordered = new Set(ordersOf(eve.nametag).map(({ tool }) => tool as string));
    expect([...tools].filter((name) => !ordered.has(name))).toEqual([]);
    // Where programs can run, `exec` is among the orders.
    expect(ordered.has('exec')).toBe(whyNoSandbox() === undefined);
  });

  const ways: readonly (readonly [string, Trust, (text: string) => Promise<unknown>])[] = [
    ['a friend', 'guest', (text) => people.message(eve, ada, text)],
    [
      'a friend’s agent',
      'guest',
      (message) => agents.callTool(evesAgent, 'friend_send', { nametag: ada.nametag, message }),
    ],
    ['a webhook', 'outside', postToWebhook],
  ];

  it.each(ways)(
    'every tool call that %s demands is run, held for approval or refused as the rules for trust %s require, and neither changes the user’s data nor leaks the secret to a friend',
    async (_, trust, start) => {
      const before = await readAdasData();
      const secretsBefore = await countSecrets(eve, carl);
      const hasSender = trust === 'guest';
      const orders = ordersOf(eve.nametag).map((order) =>
        order.audience === 'sender' && !hasSender
          ? { ...order, audience: 'others' as const }
          : order,
      );
      expect(await attack(orders, start)).toEqual(expected(orders, trust));
      expect(await readAdasData()).toBe(before);
      expect(await countSecrets(eve, carl)).toBe(secretsBefore);
    },
  );

  it('the agent can do nothing about a stranger’s friend request except pass it on to the user', async () => {
    const mallory = await people.newPerson();
    const orders = ordersOf(mallory.nametag);
    standingOrders.set(mallory.nametag, textOf(orders));
    const seen = await attack(orders, () =>
      graph.addFriend({ requestId: createId(), nametag: ada.nametag }, mallory.as),
    );
    expect(seen).toEqual(
      orders.map(({ tool, audience }) =>
        lineOf(tool, audience, audience === 'foreground' ? 'run' : 'refuse'),
      ),
    );
    const { friends } = await graph.listFriends({ pageSize: 0, pageToken: '' }, ada.as);
    expect(friends.map(({ nametag }) => nametag).sort()).toEqual(
      [eve.nametag, carl.nametag].sort(),
    );
    expect(await countSecrets(mallory)).toBe(0);
  });

  async function postToWebhook(body: string): Promise<void> {
    const call = (name: string, args: object) =>
      agents.callTool({ id: resources.agentId, as: ada.as }, name, args);
    const { url, password } = await call('expose_update', {
      endpointId: resources.endpointId,
      rotatePassword: true,
    });
    const headers = { authorization: `Bearer ${password}`, 'content-type': 'text/plain' };
    expect((await fetch(url!, { method: 'POST', headers, body })).status).toBe(202);
  }
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import type { Viewer } from '../../domain/viewer';
import { buildUsecases, emission, signal, type TestAgent } from '../../test-support/test-wiring';
import { livingAgent, TestEdges, type TestEdge } from '../../test-support/test-edge';
import type { Stores } from '../../store/open-stores';

let edges: TestEdges;
let edge: TestEdge;
let stores: Stores;
let usecases: ReturnType<typeof buildUsecases>;

const now = (): Date => new Date();
const build = (changes: Partial<Stores> = {}) =>
  buildUsecases({ ...stores, ...changes }, { now, agents: new Map(), stuck: [] });

beforeAll(async () => {
  edges = await TestEdges.open();
  edge = await edges.start();
  stores = edges.stores;
  usecases = build();
});
afterAll(() => edges.close());

let agent: TestAgent;
let otherAgent: TestAgent;
beforeEach(() => {
  const userId = createId();
  [agent, otherAgent] = [
    { userId, agentId: createId() },
    { userId, agentId: createId() },
  ];
  edges.agents.add(agent.agentId);
});

const callOf = (caller: Viewer) => ({ caller, requestId: createId(), agentId: '', signal });
const lead = (caller: Viewer, name: string) =>
  usecases.createChannel({ ...callOf(caller), name, leaderAgentId: '', leaderUsername: '' });
const join = (caller: Viewer, channelName: string, replica = usecases) =>
  replica.joinChannel({ ...callOf(caller), channelName, username: `m-${caller.agentId}` });
const subscribe = (caller: Viewer, replica = usecases) =>
  replica.subscribeSignal({ ...callOf(caller), pattern: 'build:*', silent: true });
const expose = ({ userId, agentId }: TestAgent) =>
  edge.expose({ kind: 'agent', agentId }, { auth: 'password' }, userId);

/** Returns the store, but makes the replica crash when it calls the given method. */
function crashingAt<T extends object>(store: T, method: string): T {
  return new Proxy(store, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (key === method) return () => Promise.reject(new Error('crashed'));
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Lists an agent's remaining subscriptions, channels and endpoints. */
async function wiringOf({ userId, agentId }: TestAgent) {
  const [subscriptions, channels, endpoints] = await Promise.all([
    stores.subscriptions.listActive(userId),
    stores.channels.listByMember(userId, agentId),
    stores.endpoints.list(userId, undefined, 100),
  ]);
  const all = [
    ...subscriptions.filter((each) => each.agentId === agentId).map(({ pattern }) => pattern),
    ...channels.map(({ name }) => `#${name}`),
    ...endpoints
      .filter(({ target }) => target.kind === 'agent' && target.agentId === agentId)
      .map(({ name }) => name),
  ];
  return all.sort();
}

/**
 * Makes the agent the leader of one channel, a member of another and alone in a third, with a subscription and
 * a webhook.
 */
async function wire(): Promise<void> {
  await lead(agent, 'ops');
  await join(otherAgent, 'ops');
  await lead(otherAgent, 'dev');
  await join(agent, 'dev');
  await lead(agent, 'alone');
  await subscribe(agent);
  await subscribe(otherAgent);
  await expose(agent);
}

describe('endAgent', () => {
  it('an agent that has ended is no longer a subscriber, member or target; other agents’ wiring is kept', async () => {
    await wire();
    const stranger = { userId: createId(), agentId: agent.agentId };
    await subscribe(stranger);
    await edge.endAgent(agent);
    expect(await wiringOf(agent)).toEqual([]);
    expect(await wiringOf(otherAgent)).toEqual(['#dev', '#ops', 'build:*']);
    expect(await wiringOf(stranger)).toEqual(['build:*']);
  });

  it('when the leader of a channel ends, the member who joined next leads it; a channel without other members is deleted with its messages', async () => {
    await wire();
    await usecases.sendChannelMessage({
      caller: agent,
      requestId: 'r',
      channelName: 'alone',
      text: 'x',
    });
    await edge.endAgent(agent);
    const ops = await stores.channels.find(agent.userId, 'ops');
    expect(ops?.channel.leaderAgentId).toBe(otherAgent.agentId);
    expect(await stores.channels.find(agent.userId, 'alone')).toBeUndefined();
    const { userId } = agent;
    const messages = edges.mongo.db.collection('channel_messages');
    expect(await messages.countDocuments({ userId })).toBe(0);
  });

  it('an agent that has ended receives no signals emitted later', async () => {
    await wire();
    await usecases.emitSignal(emission(otherAgent));
    await edge.endAgent(agent);
    await usecases.emitSignal(emission({ userId: agent.userId }));
    const rows = edges.mongo.db.collection('outbox');
    const sentTo = ({ agentId }: TestAgent) =>
      rows.countDocuments({ lane: { $regex: `>${agentId}$` } });
    expect([await sentTo(agent), await sentTo(otherAgent)]).toEqual([1, 1]);
  });

  it('a post to an ended agent’s webhook is refused with 404', async () => {
    const { path, password } = await expose(agent);
    await edge.endAgent(agent);
    const response = await fetch(`http://127.0.0.1:${edge.port}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${password}`, 'content-type': 'text/plain' },
      body: 'x',
    });
    expect(response.status).toBe(404);
  });

  it('ending an agent removes all its wiring, even if the notice arrives several times concurrently', async () => {
    await wire();
    await Promise.all([1, 2, 3, 4].map(() => edge.endAgent(agent)));
    await edge.endAgent(agent);
    expect(await wiringOf(agent)).toEqual([]);
    expect(await wiringOf(otherAgent)).toEqual(['#dev', '#ops', 'build:*']);
  });

  it.each([
    ['subscriptions', 'deleteByAgent'],
    ['channels', 'listByMember'],
    ['channels', 'save'],
    ['messages', 'deleteByChannels'],
    ['endpoints', 'deleteByAgent'],
  ] as const)(
    'ending an agent removes all its wiring on a retry after a crash in %s.%s',
    async (name, at) => {
      await wire();
      await expect(build({ [name]: crashingAt(stores[name], at) }).endAgent(agent)).rejects.toThrow(
        'crashed',
      );
      await edge.endAgent(agent);
      expect(await wiringOf(agent)).toEqual([]);
    },
  );
});

/** Runs the sweep at a time when no call can still be in progress. */
const sweepLater = (): Promise<void> => {
  const later = (): Date => new Date(Date.now() + 16 * 60_000);
  return buildUsecases(stores, { now: later, agents: new Map(), stuck: [] }).sweepEndedAgents();
};

describe('wiring an agent that has ended', () => {
  const refusal = { code: 'NOT_FOUND', message: 'Agent not found' };

  it('a call that checked its agent before the agent ended leaves nothing behind', async () => {
    await lead(otherAgent, 'ops');
    await edge.endAgent(agent);
    await expect(join(agent, 'ops')).rejects.toMatchObject(refusal);
    await expect(subscribe(agent)).rejects.toMatchObject(refusal);
    await expect(lead(agent, 'mine')).rejects.toMatchObject(refusal);
    await expect(expose(agent)).rejects.toMatchObject(refusal);
    const site = await edge.expose({ kind: 'port', port: 8_080 }, {}, agent.userId);
    const change = { target: { kind: 'agent', agentId: agent.agentId }, auth: 'password' } as const;
    const unchanged = { name: undefined, mode: undefined, rotatePassword: false };
    const call = { caller: agent, requestId: createId(), signal, endpointId: site.id };
    await expect(
      edge.updateEndpoint({ ...call, change: { ...unchanged, ...change } }),
    ).rejects.toMatchObject(refusal);
    expect(await wiringOf(agent)).toEqual([]);
  });

  it('a dead agent is refused although its token is still valid', async () => {
    const agents = new Map([[agent.agentId, { userId: agent.userId, isDead: true }]]);
    const strict = buildUsecases(stores, { now, agents, stuck: [] });
    await lead(otherAgent, 'ops');
    await expect(join(agent, 'ops', strict)).rejects.toMatchObject(refusal);
    await expect(subscribe(agent, strict)).rejects.toMatchObject(refusal);
  });

  it('the sweep undoes a call that crashed before it confirmed that its agent is alive', async () => {
    await lead(otherAgent, 'ops');
    await edge.endAgent(agent);
    const dying = build({ endedAgents: crashingAt(stores.endedAgents, 'has') });
    await expect(join(agent, 'ops', dying)).rejects.toThrow('crashed');
    await expect(subscribe(agent, dying)).rejects.toThrow('crashed');
    expect(await wiringOf(agent)).toEqual(['#ops', 'build:*']);
    await sweepLater();
    expect(await wiringOf(agent)).toEqual([]);
  });

  it('an agent that has ended is checked only once, by a sweep that runs when no earlier call can still be in progress', async () => {
    await edge.endAgent(agent);
    const isUnchecked = async () =>
      (await stores.endedAgents.listUnchecked(new Date(Date.now() + 1_000))).some(
        ({ agentId }) => agentId === agent.agentId,
      );
    await usecases.sweepEndedAgents();
    expect(await isUnchecked()).toBe(true);
    await sweepLater();
    expect(await isUnchecked()).toBe(false);
  });

  it('a retried join does not restore an agent that has ended', async () => {
    await lead(otherAgent, 'ops');
    const call = { ...callOf(agent), channelName: 'ops', username: 'dev' };
    await usecases.joinChannel(call);
    await edge.endAgent(agent);
    await expect(usecases.joinChannel(call)).rejects.toMatchObject(refusal);
    expect(await wiringOf(agent)).toEqual([]);
  });

  it('an agent that joins and subscribes while it is being ended is not wired afterwards', async () => {
    await lead(otherAgent, 'ops');
    for (let round = 0; round < 20; round += 1) {
      const ending = { userId: agent.userId, agentId: createId() };
      const calls = [join(ending, 'ops'), subscribe(ending), edge.endAgent(ending)];
      await Promise.allSettled(round % 2 === 0 ? calls : calls.reverse());
      expect(await wiringOf(ending)).toEqual([]);
    }
  });

  it('a living agent is not affected when another agent ends', async () => {
    edges.agents.add(livingAgent);
    await edge.endAgent(agent);
    await expect(join(otherAgent, 'none')).rejects.toMatchObject({ message: 'Channel not found' });
    await expect(subscribe(otherAgent)).resolves.toMatchObject({ agentId: otherAgent.agentId });
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { IdentityServiceService, type User } from '@daycare/contracts/identity';
import {
  EndpointAuth,
  EndpointMode,
  TopologyServiceService,
  type CreateEndpointRequest,
} from '@daycare/contracts/topology';
import { serviceNames } from '@daycare/local-stack';
import { createRpcClient, type RpcClient } from '@daycare/rpc';
import { eventually, startTestStack } from '@daycare/testing';
import { AgentCast, type Actor } from './support/agent-cast';
import {
  agentEnv,
  openAgentStack,
  post,
  type AgentStack,
  type Runtime,
} from './support/agent-stack';
import type { Person } from './support/people';
import { TopologyWatcher, type Topology } from './support/topology-watcher';

let agents: AgentStack;
let cast: AgentCast;
let runtime: Runtime;
let topology: Topology;
let identity: RpcClient<typeof IdentityServiceService>;
let watchers: TopologyWatcher[] = [];

/** So rarely does a watcher look by itself that what is seen in time was hinted at. */
const topologyEnv = { DAYCARE_TOPOLOGY_POLL_MS: '60000', DAYCARE_EDGE_LISTEN: '127.0.0.1:0' };
/** A minute of schedules is a second. */
const runtimeEnv = { DAYCARE_AGENT_SLEEP_AFTER_MS: '1500', DAYCARE_SCHEDULE_SPEED: '60' };

beforeAll(async () => {
  const envOf = { topology: topologyEnv, 'agent-runtime': runtimeEnv };
  const stack = await startTestStack({ services: serviceNames, env: agentEnv, envOf });
  agents = await openAgentStack(stack, 1, 10_000);
  cast = await AgentCast.open(agents);
  runtime = cast.runtime;
  const timeoutMs = 10_000;
  topology = createRpcClient(TopologyServiceService, {
    address: stack.addressOf('topology'),
    timeoutMs,
  });
  identity = createRpcClient(IdentityServiceService, {
    address: stack.addressOf('identity'),
    timeoutMs,
  });
}, 60_000);
afterAll(async () => {
  await Promise.all(watchers.map((watcher) => watcher.stop()));
  for (const client of [topology, identity, cast]) client.close();
  await agents.stop();
});

async function watch({ as }: Pick<Person, 'as'>, afterRevision = ''): Promise<TopologyWatcher> {
  const watcher = new TopologyWatcher(topology, as, afterRevision);
  watchers = [...watchers, watcher];
  if (afterRevision === '') await eventually(() => watcher.views.length > 0);
  return watcher;
}

const requestId = createId;
const schedule = { schedule: '* * * * *', timeZone: '', agentId: '', once: false };

describe('what changes at identity', () => {
  it('is seen: a subuser that comes, is renamed and goes', async () => {
    const ada = await agents.people.newPerson();
    const watcher = await watch(ada);
    const make = () => agents.people.newSubuser(ada);
    const { id: subuserId } = await watcher.sees('subuser made', make, (text, { id }) =>
      text.includes(`${id} name="Helper"`),
    );
    const rename = { requestId: requestId(), subuserId, name: 'Cook' };
    await watcher.sees(
      'subuser renamed',
      () => identity.renameSubuser(rename, ada.as),
      (text) => text.includes(`${subuserId} name="Cook"`),
    );
    await watcher.sees(
      'subuser deleted',
      () => agents.people.deleteSubuser(ada, subuserId),
      (text) => text.includes('## Subusers (0)'),
    );
  });
});

describe('what changes at social-graph', () => {
  it('is seen by both sides: requests, friendships and shares', async () => {
    const [ada, bob] = await Promise.all([agents.people.newPerson(), agents.people.newPerson()]);
    const helper = await agents.people.newSubuser(ada);
    const [adas, bobs] = await Promise.all([watch(ada), watch(bob)]);
    const bothSee = async (what: string, change: () => Promise<unknown>, line: string) => {
      await bobs.sees(what, change, (text) => text.includes(line));
      await eventually(() => adas.text.includes(line.replace('pending_in', 'pending_out')));
    };
    const add = (from: Person, { nametag }: User) =>
      cast.graph.addFriend({ requestId: requestId(), nametag }, from.as);
    await bothSee('friend request', () => add(ada, bob), 'pending_in since');
    await bothSee('friend accepted', () => add(bob, ada), '## Friends (1)');
    await bothSee('share offered', () => cast.share(ada, bob, helper), 'status=pending');
    await bothSee('share accepted', () => cast.accept(bob, helper), 'status=active');
    expect(bobs.text).toContain('gateway=none');
    await bobs.sees(
      'gateway of a shared subuser',
      () => cast.gateway(helper),
      (text, { id }) => text.includes(`gateway=${id}`),
    );
    const rename = { requestId: requestId(), subuserId: helper.id, name: 'Cook' };
    const renaming = () => identity.renameSubuser(rename, ada.as);
    await bothSee('shared subuser renamed', renaming, 'Cook (nametag=');
    await bothSee('share ended', () => cast.unshare(ada, bob, helper), '(no shared subusers)');
    const block = { requestId: requestId(), nametag: ada.nametag };
    await bothSee('block', () => cast.graph.blockUser(block, bob.as), '## Friends (0)');
  });
});

describe('what changes at agent-runtime', () => {
  it('is seen: agents that are made and wake, crons, heartbeats and that they fire', async () => {
    const ada = await agents.people.newPerson();
    const watcher = await watch(ada);
    const desk = await watcher.sees(
      'agent made',
      () => cast.foreground(ada),
      (text, { id }) => text.includes(`${id} type=user label="cli:me#desk" lifecycle=active`),
    );
    const beat = { requestId: requestId(), title: 'Look', prompt: 'Look around' };
    const { heartbeat } = await watcher.sees(
      'heartbeat made',
      () => runtime.createHeartbeat(beat, ada.as),
      (text, made) => text.includes(`${made.heartbeat!.id}: Look`),
    );
    // Nobody does anything at that moment.
    await eventually(() => watcher.text.includes('lifecycle=sleeping'));
    const gone = { requestId: requestId(), heartbeatId: heartbeat!.id };
    await watcher.sees(
      'heartbeat deleted',
      () => runtime.deleteHeartbeat(gone, ada.as),
      (text) => text.includes('## Heartbeat Tasks (0)') && text.includes('lifecycle=sleeping'),
    );
    await watcher.sees(
      'agent woken',
      () => runtime.postMessage(post('wake up'), ada.as),
      (text) => text.includes(`${desk.id} type=user label="cli:me#desk" lifecycle=active`),
    );
  }, 30_000);

  it('is seen: a cron that is made, fires, pauses and goes', async () => {
    const ada = await agents.people.newPerson();
    const watcher = await watch(ada);
    const wish = { ...schedule, requestId: requestId(), name: 'News', prompt: 'Tell' };
    const { cron } = await watcher.sees(
      'cron made',
      () => runtime.createCron(wish, ada.as),
      (text, made) => text.includes(`${made.cron!.id}: News`),
    );
    const cronId = cron!.id;
    const lastFired = () => watcher.views.at(-1)?.topology?.cronTasks?.crons[0]?.lastFiredAt;
    await eventually(() => lastFired() !== undefined);
    await watcher.sees(
      'cron paused',
      () => runtime.pauseCron({ requestId: requestId(), cronId, resume: false }, ada.as),
      (text) => text.includes('enabled=false'),
    );
    await watcher.sees(
      'cron deleted',
      () => runtime.deleteCron({ requestId: requestId(), cronId }, ada.as),
      (text) => text.includes('## Cron Tasks (0)'),
    );
  }, 30_000);
});

describe('what changes at topology', () => {
  it('is seen: subscriptions, channels and endpoints', async () => {
    const ada = await agents.people.newPerson();
    const { id: agentId } = await cast.foreground(ada);
    const watcher = await watch(ada);
    const shows = (line: string) => (text: string) => text.includes(line);
    const hear = { requestId: requestId(), pattern: 'build:*', agentId };
    await watcher.sees(
      'subscribed',
      () => topology.subscribeSignal(hear, ada.as),
      shows(`agent=${agentId} pattern=build:*`),
    );
    await watcher.sees(
      'unsubscribed',
      () => topology.unsubscribeSignal({ ...hear, requestId: requestId() }, ada.as),
      shows('## Signal Subscriptions (0)'),
    );
    const channel = { requestId: requestId(), name: 'ops', leaderAgentId: agentId };
    await watcher.sees(
      'channel made',
      () => topology.createChannel({ ...channel, leaderUsername: 'lead' }, ada.as),
      shows(`#ops leader=${agentId}`),
    );
    const { id: devId } = await cast.permanent(ada);
    const join = { requestId: requestId(), channelName: 'ops', agentId: devId, username: 'dev' };
    await watcher.sees(
      'channel joined',
      () => topology.joinChannel(join, ada.as),
      shows(`members=@lead(${agentId}), @dev(${devId})`),
    );
    const leave = (memberId: string) => () =>
      topology.leaveChannel(
        { requestId: requestId(), channelName: 'ops', agentId: memberId },
        ada.as,
      );
    await watcher.sees('channel left', leave(devId), (text) => !text.includes('@dev('));
    await watcher.sees('channel left by all', leave(agentId), shows('## Channels (0)'));
    const { endpoint } = await watcher.sees(
      'endpoint made',
      () => topology.createEndpoint(endpointWish(agentId), ada.as),
      shows('## Expose Endpoints (1)'),
    );
    const wish = { ...endpointWish(agentId), name: 'bell', rotatePassword: false };
    const change = { ...wish, endpointId: endpoint!.id };
    await watcher.sees(
      'endpoint changed',
      () => topology.updateEndpoint(change, ada.as),
      shows(`${endpoint!.id}: bell`),
    );
    const drop = { requestId: requestId(), endpointId: endpoint!.id };
    await watcher.sees(
      'endpoint deleted',
      () => topology.deleteEndpoint(drop, ada.as),
      shows('## Expose Endpoints (0)'),
    );
  });
});

function endpointWish(agentId: string): CreateEndpointRequest {
  return {
    requestId: requestId(),
    name: 'hook',
    target: { target: { $case: 'agentId', value: agentId } },
    mode: EndpointMode.PUBLIC,
    auth: EndpointAuth.PASSWORD,
  };
}

describe('a subuser’s stream', () => {
  it('shows what is its own, as the owner’s does, and never anything of the owner', async () => {
    const ada = await agents.people.newPerson();
    const helper = await agents.people.newSubuser(ada);
    const gateway: Actor = await cast.gateway(helper);
    const [owners, own] = await Promise.all([watch(ada), watch(gateway)]);
    const before = own.views.length;
    const desk = await owners.sees(
      'agent made',
      () => cast.foreground(ada),
      (text, { id }) => text.includes(id),
    );
    const beat = { requestId: requestId(), title: 'Taste', prompt: 'Taste the soup' };
    await own.sees(
      'heartbeat of a subuser, by itself',
      () => runtime.createHeartbeat(beat, gateway.as),
      (text) => text.includes('Taste'),
    );
    await eventually(() => owners.text.includes('Taste'));
    const hear = { requestId: requestId(), pattern: 'soup:*', agentId: '' };
    await owners.sees(
      'subscription of a subuser, by its owner',
      () => topology.subscribeSignal(hear, gateway.as),
      (text) => text.includes('soup:*'),
    );
    await eventually(() => own.text.includes('soup:*'));
    expect(own.views.length).toBeGreaterThan(before);
    for (const trace of [ada.nametag, desk.id, '## Subusers', '## Friends'])
      expect(own.everything).not.toContain(trace);
  });
});

describe('a stream that ends', () => {
  it('is resumed after kill -9 and misses nothing, and repeats nothing', async () => {
    const [ada, bob, eve] = await Promise.all([1, 2, 3].map(() => agents.people.newPerson()));
    const watcher = await watch(ada!);
    const ask = ({ as }: Person): Promise<unknown> =>
      cast.graph.addFriend({ requestId: requestId(), nametag: ada!.nametag }, as);
    const service = agents.stack.service('topology');
    await service.kill();
    await ask(bob!);
    await service.restart();
    await eventually(() => watcher.text.includes(bob!.nametag), { timeoutMs: 20_000 });
    await service.kill();
    await service.restart();
    const other = await watch(ada!, watcher.revision);
    await other.sees(
      'after a restart',
      () => ask(eve!),
      (text) => text.includes(eve!.nametag),
    );
    await eventually(() => watcher.text.includes(eve!.nametag), { timeoutMs: 20_000 });
    const revisions = watcher.views.map((view) => view.topology?.revision);
    expect(revisions.filter((revision, index) => revision === revisions[index - 1])).toEqual([]);
    // A service that has just started may have to do without some owner of facts for a moment.
    const whole = other.views.filter(({ text }) => !text.includes('(unknown)'));
    expect(whole.filter(({ text }) => !text.includes(eve!.nametag))).toEqual([]);
  }, 60_000);

  it('is over for good once its token was revoked', async () => {
    const ada = await agents.people.newPerson();
    const watcher = await watch(ada);
    const token = ada.as.metadata!['authorization']!.slice('Bearer '.length);
    await identity.revokeToken({ token });
    const nudge = async (): Promise<string | undefined> => {
      const other = await agents.people.newPerson();
      const request = { requestId: requestId(), nametag: ada.nametag };
      await cast.graph.addFriend(request, other.as);
      const ended = await Promise.race([watcher.ended(), Promise.resolve(undefined)]);
      return ended?.code;
    };
    expect(await eventually(nudge, { intervalMs: 200 })).toBe('UNAUTHENTICATED');
  }, 30_000);
});

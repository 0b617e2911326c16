import { afterAll, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { OverlapPolicy } from '@daycare/contracts/agent-runtime';
import type { User } from '@daycare/contracts/identity';
import {
  EndpointAuth,
  EndpointMode,
  type CreateEndpointRequest,
} from '@daycare/contracts/topology';
import { eventually } from '@daycare/testing';
import type { Actor } from '../support/people/agents';
import { post } from '../support/people/history';
import { useStack } from '../support/stack/use-stack';
import type { Person } from '../support/people/people';
import { TopologyWatcher } from '../support/load/topology-watcher';

let watchers: TopologyWatcher[] = [];

/** Topology polls so rarely that only hints can make a watcher see changes in time. */
const topologyEnv = { DAYCARE_TOPOLOGY_POLL_MS: '60000', DAYCARE_EDGE_LISTEN: '127.0.0.1:0' };
/** Agents soon fall asleep, and one minute of a schedule takes a second. */
const runtimeEnv = { DAYCARE_AGENT_SLEEP_AFTER_MS: '1500', DAYCARE_SCHEDULE_SPEED: '60' };

// Registered before the stack, so that it runs first: watchers reconnect until stopped.
afterAll(async () => {
  await Promise.all(watchers.map((watcher) => watcher.stop()));
});
const stack = useStack({ envOf: { topology: topologyEnv, 'agent-runtime': runtimeEnv } });
const { people, agents, graph, runtime, identity, topology } = stack;

async function watch({ as }: Pick<Person, 'as'>, afterRevision = ''): Promise<TopologyWatcher> {
  const watcher = new TopologyWatcher(topology, as, afterRevision);
  watchers = [...watchers, watcher];
  if (afterRevision === '') await eventually(() => watcher.views.length > 0);
  return watcher;
}

const requestId = createId;
const schedule = {
  schedule: '* * * * *',
  timeZone: '',
  agentId: '',
  once: false,
  overlap: OverlapPolicy.SKIP,
  quiet: false,
};

describe('changes in identity', () => {
  it('a watcher sees a subuser being created, renamed and deleted', async () => {
    const ada = await people.newPerson();
    const watcher = await watch(ada);
    const create = () => people.newSubuser(ada);
    const { id: subuserId } = await watcher.awaitChange('subuser created', create, (text, { id }) =>
      text.includes(`${id} name="Helper"`),
    );
    const rename = { requestId: requestId(), subuserId, name: 'Cook' };
    await watcher.awaitChange(
      'subuser renamed',
      () => identity.renameSubuser(rename, ada.as),
      (text) => text.includes(`${subuserId} name="Cook"`),
    );
    await watcher.awaitChange(
      'subuser deleted',
      () => people.deleteSubuser(ada, subuserId),
      (text) => text.includes('## Subusers (0)'),
    );
  });
});

describe('changes in social-graph', () => {
  it('both sides see requests, friendships and shares change', async () => {
    const [ada, bob] = await people.newPair();
    const helper = await people.newSubuser(ada);
    const [adasWatcher, bobsWatcher] = await Promise.all([watch(ada), watch(bob)]);
    const bothSee = async (what: string, change: () => Promise<unknown>, line: string) => {
      await bobsWatcher.awaitChange(what, change, (text) => text.includes(line));
      await eventually(() => adasWatcher.text.includes(line.replace('pending_in', 'pending_out')));
    };
    const add = (from: Person, { nametag }: User) =>
      graph.addFriend({ requestId: requestId(), nametag }, from.as);
    await bothSee('friend request', () => add(ada, bob), 'pending_in since');
    await bothSee('friend accepted', () => add(bob, ada), '## Friends (1)');
    await bothSee('share offered', () => people.share(ada, bob, helper), 'status=pending');
    await bothSee('share accepted', () => people.acceptShare(bob, helper), 'status=active');
    expect(bobsWatcher.text).toContain('gateway=none');
    await bobsWatcher.awaitChange(
      'shared subuser’s gateway created',
      () => agents.gateway(helper),
      (text, { id }) => text.includes(`gateway=${id}`),
    );
    const rename = { requestId: requestId(), subuserId: helper.id, name: 'Cook' };
    const renameShared = () => identity.renameSubuser(rename, ada.as);
    await bothSee('shared subuser renamed', renameShared, 'Cook (nametag=');
    await bothSee('share ended', () => people.unshare(ada, bob, helper), '(no shared subusers)');
    const block = { requestId: requestId(), nametag: ada.nametag };
    await bothSee('block', () => graph.blockUser(block, bob.as), '## Friends (0)');
  });
});

describe('changes in agent-runtime', () => {
  it('a watcher sees agents being created, falling asleep and waking up, and heartbeats being created and deleted', async () => {
    const ada = await people.newPerson();
    const watcher = await watch(ada);
    const desk = await watcher.awaitChange(
      'agent created',
      () => agents.foreground(ada),
      (text, { id }) => text.includes(`${id} type=user label="cli:me#desk" lifecycle=active`),
    );
    const beat = { requestId: requestId(), title: 'Look', prompt: 'Look around', quiet: true };
    const { heartbeat } = await watcher.awaitChange(
      'heartbeat created',
      () => runtime.createHeartbeat(beat, ada.as),
      (text, created) => text.includes(`${created.heartbeat!.id}: Look`),
    );
    // The agent falls asleep by itself, so there is no call whose effect could be timed.
    await eventually(() => watcher.text.includes('lifecycle=sleeping'));
    const deletion = { requestId: requestId(), heartbeatId: heartbeat!.id };
    await watcher.awaitChange(
      'heartbeat deleted',
      () => runtime.deleteHeartbeat(deletion, ada.as),
      (text) => text.includes('## Heartbeat Tasks (0)') && text.includes('lifecycle=sleeping'),
    );
    await watcher.awaitChange(
      'agent woken',
      () => runtime.postMessage(post('wake up'), ada.as),
      (text) => text.includes(`${desk.id} type=user label="cli:me#desk" lifecycle=active`),
    );
  });

  it('a watcher sees when a cron is created, fires, is paused and is deleted', async () => {
    const ada = await people.newPerson();
    const watcher = await watch(ada);
    const spec = { ...schedule, requestId: requestId(), name: 'News', prompt: 'Tell' };
    const { cron } = await watcher.awaitChange(
      'cron created',
      () => runtime.createCron(spec, ada.as),
      (text, created) => text.includes(`${created.cron!.id}: News`),
    );
    const cronId = cron!.id;
    const lastFired = () => watcher.views.at(-1)?.topology?.cronTasks?.crons[0]?.lastFiredAt;
    await eventually(() => lastFired() !== undefined);
    await watcher.awaitChange(
      'cron paused',
      () => runtime.pauseCron({ requestId: requestId(), cronId, resume: false }, ada.as),
      (text) => text.includes('enabled=false'),
    );
    await watcher.awaitChange(
      'cron deleted',
      () => runtime.deleteCron({ requestId: requestId(), cronId }, ada.as),
      (text) => text.includes('## Cron Tasks (0)'),
    );
  });
});

describe('changes in topology', () => {
  it('a watcher sees subscriptions, channels and endpoints change', async () => {
    const ada = await people.newPerson();
    const { id: agentId } = await agents.foreground(ada);
    const watcher = await watch(ada);
    const shows = (line: string) => (text: string) => text.includes(line);
    const subscription = { requestId: requestId(), pattern: 'build:*', agentId };
    await watcher.awaitChange(
      'subscribed',
      () => topology.subscribeSignal(subscription, ada.as),
      shows(`agent=${agentId} pattern=build:*`),
    );
    await watcher.awaitChange(
      'unsubscribed',
      () => topology.unsubscribeSignal({ ...subscription, requestId: requestId() }, ada.as),
      shows('## Signal Subscriptions (0)'),
    );
    const channel = { requestId: requestId(), name: 'ops', leaderAgentId: agentId };
    await watcher.awaitChange(
      'channel created',
      () => topology.createChannel({ ...channel, leaderUsername: 'lead' }, ada.as),
      shows(`#ops leader=${agentId}`),
    );
    const { id: devId } = await agents.permanent(ada);
    const join = { requestId: requestId(), channelName: 'ops', agentId: devId, username: 'dev' };
    await watcher.awaitChange(
      'channel joined',
      () => topology.joinChannel(join, ada.as),
      shows(`members=@lead(${agentId}), @dev(${devId})`),
    );
    const leave = (memberId: string) => () =>
      topology.leaveChannel(
        { requestId: requestId(), channelName: 'ops', agentId: memberId },
        ada.as,
      );
    await watcher.awaitChange('channel left', leave(devId), (text) => !text.includes('@dev('));
    await watcher.awaitChange('channel left by all', leave(agentId), shows('## Channels (0)'));
    const { endpoint } = await watcher.awaitChange(
      'endpoint created',
      () => topology.createEndpoint(endpointSpec(agentId), ada.as),
      shows('## Expose Endpoints (1)'),
    );
    const settings = { ...endpointSpec(agentId), name: 'bell', rotatePassword: false };
    const change = { ...settings, endpointId: endpoint!.id };
    await watcher.awaitChange(
      'endpoint changed',
      () => topology.updateEndpoint(change, ada.as),
      shows(`${endpoint!.id}: bell`),
    );
    const deletion = { requestId: requestId(), endpointId: endpoint!.id };
    await watcher.awaitChange(
      'endpoint deleted',
      () => topology.deleteEndpoint(deletion, ada.as),
      shows('## Expose Endpoints (0)'),
    );
  });
});

function endpointSpec(agentId: string): CreateEndpointRequest {
  return {
    requestId: requestId(),
    name: 'hook',
    target: { target: { $case: 'agentId', value: agentId } },
    mode: EndpointMode.PUBLIC,
    auth: EndpointAuth.PASSWORD,
    secret: '',
  };
}

describe('subusers', () => {
  it('a subuser’s stream shows the subuser’s own data and nothing of the owner’s', async () => {
    const ada = await people.newPerson();
    const helper = await people.newSubuser(ada);
    const gateway: Actor = await agents.gateway(helper);
    const [ownersWatcher, subusersWatcher] = await Promise.all([watch(ada), watch(gateway)]);
    const before = subusersWatcher.views.length;
    const desk = await ownersWatcher.awaitChange(
      'agent created',
      () => agents.foreground(ada),
      (text, { id }) => text.includes(id),
    );
    const beat = { requestId: requestId(), title: 'Taste', prompt: 'Taste the soup', quiet: false };
    await subusersWatcher.awaitChange(
      'heartbeat, seen by the subuser that created it',
      () => runtime.createHeartbeat(beat, gateway.as),
      (text) => text.includes('Taste'),
    );
    await eventually(() => ownersWatcher.text.includes('Taste'));
    const subscription = { requestId: requestId(), pattern: 'soup:*', agentId: '' };
    await ownersWatcher.awaitChange(
      'subuser’s subscription, seen by the owner',
      () => topology.subscribeSignal(subscription, gateway.as),
      (text) => text.includes('soup:*'),
    );
    await eventually(() => subusersWatcher.text.includes('soup:*'));
    expect(subusersWatcher.views.length).toBeGreaterThan(before);
    for (const trace of [ada.nametag, desk.id, '## Subusers', '## Friends'])
      expect(subusersWatcher.everything).not.toContain(trace);
  });
});

describe('a stream that ends', () => {
  it('a topology stream is resumed after kill -9 without missing or repeating anything', async () => {
    const [ada, bob, eve] = await Promise.all([1, 2, 3].map(() => people.newPerson()));
    const watcher = await watch(ada!);
    const requestFriendship = ({ as }: Person): Promise<unknown> =>
      graph.addFriend({ requestId: requestId(), nametag: ada!.nametag }, as);
    const service = stack.service('topology');
    await service.kill();
    await requestFriendship(bob!);
    await service.restart();
    await eventually(() => watcher.text.includes(bob!.nametag));
    await service.kill();
    await service.restart();
    const secondWatcher = await watch(ada!, watcher.revision);
    await secondWatcher.awaitChange(
      'after a restart',
      () => requestFriendship(eve!),
      (text) => text.includes(eve!.nametag),
    );
    await eventually(() => watcher.text.includes(eve!.nametag));
    const revisions = watcher.views.map((view) => view.topology?.revision);
    expect(revisions.filter((revision, index) => revision === revisions[index - 1])).toEqual([]);
    // A service that has just started may lack some data for a moment.
    const completeViews = secondWatcher.views.filter(({ text }) => !text.includes('(unknown)'));
    expect(completeViews.filter(({ text }) => !text.includes(eve!.nametag))).toEqual([]);
  });

  it('a topology stream ends for good after its token is revoked', async () => {
    const ada = await people.newPerson();
    const watcher = await watch(ada);
    const token = ada.as.metadata!['authorization']!.slice('Bearer '.length);
    await identity.revokeToken({ token });
    const changeAndReadEnd = async (): Promise<string | undefined> => {
      const stranger = await people.newPerson();
      const request = { requestId: requestId(), nametag: ada.nametag };
      await graph.addFriend(request, stranger.as);
      const ended = await Promise.race([watcher.ended(), Promise.resolve(undefined)]);
      return ended?.code;
    };
    expect(await eventually(changeAndReadEnd, { intervalMs: 200 })).toBe('UNAUTHENTICATED');
  });
});

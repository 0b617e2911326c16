import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import {
  PermissionDecision,
  PermissionState,
  type PermissionRequest,
} from '@daycare/contracts/agent-runtime';
import { eventually } from '@daycare/testing';
import type { Actor } from '../support/people/agents';
import { historyOf, summaryOf } from '../support/people/history';
import { untilAnswered } from '../support/stack/until-answered';
import { agentServices } from '../support/stack/stack';
import { useStack } from '../support/stack/use-stack';
import type { Person } from '../support/people/people';

const stack = useStack({
  services: agentServices,
  replicas: { 'agent-runtime': 2 },
  ownServers: true,
});
const { people, agents, runtime } = stack;

/** Creates a person with a foreground agent, and a permanent agent that has requested a permission. */
async function requestPermission(): Promise<{
  ada: Person;
  front: Actor;
  worker: Actor;
  request: PermissionRequest;
}> {
  const ada = await people.newPerson();
  const front = await agents.foreground(ada);
  const worker = await agents.permanent(ada);
  await instructWorker(
    front,
    worker,
    '/request_permission {"permission":"network","reason":"To look it up"}',
  );
  const request = await eventually(async () => (await listPending(ada))[0]);
  return { ada, front, worker, request };
}

const instructWorker = (front: Actor, worker: Actor, text: string) =>
  runtime.sendAgentMessage({ requestId: createId(), agentId: worker.id, text }, front.as);

async function listPending({ as }: Person): Promise<PermissionRequest[]> {
  const states = [PermissionState.PENDING];
  const request = { pageSize: 0, pageToken: '', states, agentId: '' };
  return (await runtime.listPermissionRequests(request, as)).permissionRequests;
}

const decide = (
  { as }: Person,
  { id: permissionRequestId }: PermissionRequest,
  decision = PermissionDecision.GRANT,
  requestId = createId(),
) =>
  untilAnswered(async () => {
    const call = { requestId, permissionRequestId, decision };
    return (await runtime.decidePermission(call, as)).permissionRequest!;
  });

const summariesOf = async (person: Pick<Person, 'as'>, { id }: Actor): Promise<string[]> =>
  (await historyOf(runtime, person, id)).map(summaryOf);

async function restartEverything(): Promise<void> {
  const services = [
    stack.service('identity'),
    stack.service('social-graph'),
    stack.service('agent-runtime', 0),
    stack.service('agent-runtime', 1),
  ];
  await Promise.all(services.map((service) => service.kill()));
  await Promise.all([stack.mongo!.kill(), stack.nats!.kill()]);
  await Promise.all([stack.mongo!.restart(), stack.nats!.restart()]);
  await Promise.all(services.map((service) => service.restart()));
}

describe('a permanent agent’s permission request', () => {
  it('a permission request survives a crash of every service and server, and the agent continues once it is granted', async () => {
    const { ada, front, worker, request } = await requestPermission();
    expect(request).toMatchObject({
      agentId: worker.id,
      permission: 'network',
      reason: 'To look it up',
      target: { connector: 'cli', channelId: 'desk' },
    });
    await eventually(async () =>
      (await summariesOf(ada, front)).some((line) => line.startsWith('system (silent)')),
    );
    await restartEverything();
    expect(await untilAnswered(() => listPending(ada))).toEqual([request]);
    const granted = await decide(ada, request);
    expect(granted.state).toBe(PermissionState.GRANTED);
    const afterGrant = await eventually(async () => {
      const lines = await untilAnswered(() => summariesOf(ada, worker));
      const at = lines.findIndex((line) => /^system: .*granted/.test(line));
      return at > 0 && lines.length > at + 1 && lines.slice(at);
    });
    expect(afterGrant).toEqual([
      expect.stringContaining('network'),
      expect.stringContaining('system said:'),
    ]);
    const selector = { $case: 'agentId', value: worker.id } as const;
    const { agent } = await runtime.getAgent({ selector }, ada.as);
    expect(agent!.grantedPermissions).toEqual(['network']);
    const received = (await summariesOf(ada, front)).filter((line) => line.startsWith('system'));
    expect(received.every((line) => line.startsWith('system (silent)'))).toBe(true);
    expect(received).toHaveLength(2);
  });

  it('a permission request is decided only once, and later decisions return the first one', async () => {
    const { ada, worker, request } = await requestPermission();
    const requestId = createId();
    await decide(ada, request, PermissionDecision.DENY, requestId);
    await decide(ada, request, PermissionDecision.DENY, requestId);
    const second = await decide(ada, request, PermissionDecision.GRANT);
    expect(second.state).toBe(PermissionState.DENIED);
    await eventually(async () =>
      (await summariesOf(ada, worker)).some((line) => /^system: .*denied/.test(line)),
    );
    const received = (await summariesOf(ada, worker)).filter((line) => line.startsWith('system: '));
    expect(received).toHaveLength(1);
  });

  it('a permission request expires when its agent is reset, and granting it changes nothing', async () => {
    const { ada, worker, request } = await requestPermission();
    await runtime.resetAgent({ requestId: createId(), agentId: worker.id, message: '' }, ada.as);
    await eventually(async () =>
      (await summariesOf(ada, worker)).some((line) => line.startsWith('reset')),
    );
    const { state } = await decide(ada, request);
    expect(state).toBe(PermissionState.EXPIRED);
    const selector = { $case: 'agentId', value: worker.id } as const;
    const { agent } = await runtime.getAgent({ selector }, ada.as);
    expect(agent).toMatchObject({ grantedPermissions: [], inboxCount: 0 });
    expect((await summariesOf(ada, worker)).at(-1)).toMatch(/^reset/);
  });

  it('other users can neither see nor decide a permission request', async () => {
    const { request } = await requestPermission();
    const eve = await people.newPerson();
    expect(await listPending(eve)).toEqual([]);
    await expect(decide(eve, request)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('WatchPermissionRequests streams the pending permission requests, then new ones and decisions', async () => {
    const { ada, front, worker, request } = await requestPermission();
    const seen: string[] = [];
    const stop = new AbortController();
    const watching = (async () => {
      const events = runtime.watchPermissionRequests({}, { ...ada.as, signal: stop.signal });
      for await (const { event } of events)
        seen.push(
          event?.$case === 'permissionRequest'
            ? `${event.value.permission} ${event.value.state.replace('PERMISSION_STATE_', '')}`
            : 'caught up',
        );
    })().catch(() => undefined);
    await eventually(() => seen.length === 2);
    await instructWorker(
      front,
      worker,
      '/request_permission {"permission":"files","reason":"To keep it"}',
    );
    await eventually(() => seen.length === 3);
    await decide(ada, request);
    await eventually(() => seen.length === 4);
    stop.abort();
    await watching;
    expect(seen).toEqual(['network PENDING', 'caught up', 'files PENDING', 'network GRANTED']);
  });
});

describe('a permission request whose time is up', () => {
  it('a decision on an expired permission request returns EXPIRED and changes nothing', async () => {
    const { ada, worker, request } = await requestPermission();
    const permissions = stack.db('agent-runtime').collection('permissions');
    const before = await eventually(async () => {
      const lines = await summariesOf(ada, worker);
      return lines.length === 5 && lines;
    });
    // Instead of waiting for the request to expire, move its expiry into the past.
    const { modifiedCount } = await permissions.updateOne({ _id: request.id as never }, [
      { $set: { expiresAt: { $subtract: ['$$NOW', 1_000] } } },
    ]);
    expect(modifiedCount).toBe(1);
    expect((await decide(ada, request)).state).toBe(PermissionState.EXPIRED);
    expect(await listPending(ada)).toEqual([]);
    expect(await summariesOf(ada, worker)).toEqual(before);
  });
});

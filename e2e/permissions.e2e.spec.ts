import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import {
  PermissionDecision,
  PermissionState,
  type PermissionRequest,
} from '@daycare/contracts/agent-runtime';
import { eventually } from '@daycare/testing';
import { AgentCast, type Actor } from './support/agent-cast';
import { historyOf, startAgentStack, summaryOf, type AgentStack } from './support/agent-stack';
import type { Person } from './support/people';
import { untilAnswered } from './support/social-stack';

let agents: AgentStack;
let cast: AgentCast;

beforeAll(async () => {
  agents = await startAgentStack({ replicas: 2, ownServers: true });
  cast = await AgentCast.open(agents);
}, 60_000);
afterAll(async () => {
  cast.close();
  await agents.stop();
});

/** A person at a channel with an agent in the background that has asked to be allowed something. */
async function asking(): Promise<{
  ada: Person;
  front: Actor;
  worker: Actor;
  request: PermissionRequest;
}> {
  const ada = await agents.people.newPerson();
  const front = await cast.foreground(ada);
  const worker = await cast.permanent(ada);
  await tellWorker(
    front,
    worker,
    '/request_permission {"permission":"network","reason":"To look it up"}',
  );
  const request = await eventually(async () => (await pending(ada))[0]);
  return { ada, front, worker, request };
}

const tellWorker = (front: Actor, worker: Actor, text: string) =>
  cast.runtime.sendAgentMessage({ requestId: createId(), agentId: worker.id, text }, front.as);

async function pending({ as }: Person): Promise<PermissionRequest[]> {
  const states = [PermissionState.PENDING];
  const request = { pageSize: 0, pageToken: '', states, agentId: '' };
  return (await cast.runtime.listPermissionRequests(request, as)).permissionRequests;
}

const decide = (
  { as }: Person,
  { id: permissionRequestId }: PermissionRequest,
  decision = PermissionDecision.GRANT,
  requestId = createId(),
) =>
  untilAnswered(async () => {
    const call = { requestId, permissionRequestId, decision };
    return (await cast.runtime.decidePermission(call, as)).permissionRequest!;
  });

const storyOf = async (person: Pick<Person, 'as'>, { id }: Actor): Promise<string[]> =>
  (await historyOf(cast.runtime, person, id)).map(summaryOf);

async function restartEverything(): Promise<void> {
  const services = [
    agents.stack.service('identity'),
    agents.stack.service('social-graph'),
    agents.replica(0),
    agents.replica(1),
  ];
  await Promise.all(services.map((service) => service.kill()));
  await Promise.all([agents.stack.mongo!.kill(), agents.stack.nats!.kill()]);
  await Promise.all([agents.stack.mongo!.restart(), agents.stack.nats!.restart()]);
  await Promise.all(services.map((service) => service.restart()));
}

describe('a permission that an agent in the background asks for', () => {
  it('is presented, outlives the death of everything, is granted, and the agent goes on', async () => {
    const { ada, front, worker, request } = await asking();
    expect(request).toMatchObject({
      agentId: worker.id,
      permission: 'network',
      reason: 'To look it up',
      target: { connector: 'cli', channelId: 'desk' },
    });
    await eventually(async () =>
      (await storyOf(ada, front)).some((line) => line.startsWith('system (silent)')),
    );
    await restartEverything();
    expect(await untilAnswered(() => pending(ada))).toEqual([request]);
    const granted = await decide(ada, request);
    expect(granted.state).toBe(PermissionState.GRANTED);
    const told = await eventually(async () => {
      const lines = await untilAnswered(() => storyOf(ada, worker));
      const at = lines.findIndex((line) => /^system: .*granted/.test(line));
      return at > 0 && lines.length > at + 1 && lines.slice(at);
    });
    expect(told).toEqual([
      expect.stringContaining('network'),
      expect.stringContaining('You said:'),
    ]);
    const selector = { $case: 'agentId', value: worker.id } as const;
    const { agent } = await cast.runtime.getAgent({ selector }, ada.as);
    expect(agent!.grantedPermissions).toEqual(['network']);
    const heard = (await storyOf(ada, front)).filter((line) => line.startsWith('system'));
    expect(heard.every((line) => line.startsWith('system (silent)'))).toBe(true);
    expect(heard).toHaveLength(2);
  }, 90_000);

  it('is decided once: a second decision sees the first, and a repeated one changes nothing', async () => {
    const { ada, worker, request } = await asking();
    const requestId = createId();
    await decide(ada, request, PermissionDecision.DENY, requestId);
    await decide(ada, request, PermissionDecision.DENY, requestId);
    const second = await decide(ada, request, PermissionDecision.GRANT);
    expect(second.state).toBe(PermissionState.DENIED);
    await eventually(async () =>
      (await storyOf(ada, worker)).some((line) => /^system: .*denied/.test(line)),
    );
    const heard = (await storyOf(ada, worker)).filter((line) => line.startsWith('system: '));
    expect(heard).toHaveLength(1);
  });

  it('is not granted to an agent that has been reset since', async () => {
    const { ada, worker, request } = await asking();
    await cast.runtime.resetAgent(
      { requestId: createId(), agentId: worker.id, message: '' },
      ada.as,
    );
    await eventually(async () =>
      (await storyOf(ada, worker)).some((line) => line.startsWith('reset')),
    );
    const { state } = await decide(ada, request);
    expect(state).toBe(PermissionState.EXPIRED);
    const selector = { $case: 'agentId', value: worker.id } as const;
    const { agent } = await cast.runtime.getAgent({ selector }, ada.as);
    expect(agent).toMatchObject({ grantedPermissions: [], inboxCount: 0 });
    expect((await storyOf(ada, worker)).at(-1)).toMatch(/^reset/);
  });

  it('is nobody else’s to see or to decide', async () => {
    const { request } = await asking();
    const eve = await agents.people.newPerson();
    expect(await pending(eve)).toEqual([]);
    await expect(decide(eve, request)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('reaches a connector that watches: what is pending, then what comes, then what becomes of it', async () => {
    const { ada, front, worker, request } = await asking();
    const seen: string[] = [];
    const stop = new AbortController();
    const watching = (async () => {
      const events = cast.runtime.watchPermissionRequests({}, { ...ada.as, signal: stop.signal });
      for await (const { event } of events)
        seen.push(
          event?.$case === 'permissionRequest'
            ? `${event.value.permission} ${event.value.state.replace('PERMISSION_STATE_', '')}`
            : 'caught up',
        );
    })().catch(() => undefined);
    await eventually(() => seen.length === 2);
    await tellWorker(
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

describe('a permission request that nobody decides', () => {
  it('expires, and a later decision says so and reaches nobody', async () => {
    const { ada, worker, request } = await asking();
    const permissions = agents.db.collection('permissions');
    const before = await eventually(async () => {
      const lines = await storyOf(ada, worker);
      return lines.length === 5 && lines;
    });
    // Its time is moved rather than waited for.
    const { modifiedCount } = await permissions.updateOne({ _id: request.id as never }, [
      { $set: { expiresAt: { $subtract: ['$$NOW', 1_000] } } },
    ]);
    expect(modifiedCount).toBe(1);
    expect((await decide(ada, request)).state).toBe(PermissionState.EXPIRED);
    expect(await pending(ada)).toEqual([]);
    expect(await storyOf(ada, worker)).toEqual(before);
  });
});

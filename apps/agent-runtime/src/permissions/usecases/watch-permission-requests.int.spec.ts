import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { AppError } from '@daycare/api';
import { eventually } from '@daycare/testing';
import type { Agent } from '../../agents/domain/agent';
import {
  permissionTtlMs,
  startTestPermissions,
  type TestPermissions,
} from '../../test-support/test-permissions';
import { startTestRuntime, type TestRuntime } from '../../test-support/test-runtime';
import { PermissionStore } from '../store/permission-store';
import { makeWatchPermissionRequests } from './watch-permission-requests';

let runtime: TestRuntime;
let permissions: TestPermissions;
const endings: AbortController[] = [];

beforeAll(async () => {
  runtime = await startTestRuntime();
  permissions = await startTestPermissions(runtime);
});
afterEach(() => {
  permissions.clock.aheadMs = 0;
  for (const ending of endings.splice(0)) ending.abort();
});
afterAll(async () => {
  await permissions.close();
  await runtime.close();
});

/** Requests a different permission each time. */
const ask = (agent: Agent, requestId = createId()) =>
  permissions.request({ agent, requestId, permission: createId(), reason: 'why' });
const decide = (userId: string, permissionRequestId: string, decision: 'grant' | 'deny') =>
  permissions.decide({ userId, requestId: createId(), permissionRequestId, decision });

const recheck = async (): Promise<void> => undefined;

/** Records what a watcher receives; `ended` resolves when the watch ends. */
const watch = (userId: string, open: TestPermissions['watch'] = permissions.watch) => {
  const ending = new AbortController();
  endings.push(ending);
  const shown: string[] = [];
  const ended = (async () => {
    for await (const event of open({ userId, signal: ending.signal, recheck }))
      shown.push(
        event.kind === 'caught_up' ? 'caught up' : `${event.request.id} ${event.request.state}`,
      );
  })();
  const shows = (...expected: string[]) =>
    eventually(() => {
      expect(shown).toEqual(expected);
      return true;
    });
  return { ended, shows, stop: () => ending.abort() };
};

describe('watching permission requests', () => {
  it('a watch sends every pending request and no decided ones, then reports that it has caught up', async () => {
    const agent = await runtime.newAgent();
    const [one, two] = [await ask(agent), await ask(agent)];
    await decide(agent.userId, one.id, 'deny');
    const { shows, ended, stop } = watch(agent.userId);
    await shows(`${two.id} pending`, 'caught up');
    stop();
    await ended;
  });

  it.each([
    ['with hints', 'watch'],
    ['without hints', 'watchWithoutHints'],
  ] as const)(
    'a caught-up watch %s sends each new request and each state change',
    async (_, kind) => {
      const agent = await runtime.newAgent();
      const { shows } = watch(agent.userId, permissions[kind]);
      await shows('caught up');
      const one = await ask(agent);
      await shows('caught up', `${one.id} pending`);
      await decide(agent.userId, one.id, 'grant');
      const soFar = ['caught up', `${one.id} pending`, `${one.id} granted`];
      await shows(...soFar);
      const two = await ask(agent);
      await shows(...soFar, `${two.id} pending`);
      permissions.clock.aheadMs = permissionTtlMs;
      await permissions.expire();
      await shows(...soFar, `${two.id} pending`, `${two.id} expired`);
    },
  );

  it('requests and decisions made while a watch is starting are each sent exactly once', async () => {
    const agent = await runtime.newAgent();
    const early = await ask(agent);
    const late: string[] = [];
    /** Makes a request and a decision right before the pending requests are read. */
    class BusyStore extends PermissionStore {
      override async list(...call: Parameters<PermissionStore['list']>) {
        late.push((await ask(agent)).id);
        await decide(agent.userId, early.id, 'deny');
        return super.list(...call);
      }
    }
    const store = new BusyStore(runtime.mongo.db);
    const timing = { listen: () => () => undefined, pollMs: 20 };
    const stopping = permissions.stopping.signal;
    const deps = { ...permissions, ...timing, permissions: store, stopping };
    const { shows } = watch(agent.userId, makeWatchPermissionRequests(deps));
    await eventually(() => late[0]);
    await shows(`${late[0]} pending`, 'caught up', `${early.id} denied`);
    await decide(agent.userId, late[0]!, 'grant');
    await shows(`${late[0]} pending`, 'caught up', `${early.id} denied`, `${late[0]} granted`);
  });

  it('a watch ends when its caller loses access', async () => {
    const revoked = new AppError('UNAUTHENTICATED', 'over');
    const events = permissions.watch({
      userId: createId(),
      signal: new AbortController().signal,
      recheck: async () => Promise.reject(revoked),
    });
    await expect(events.next()).resolves.toEqual({ done: false, value: { kind: 'caught_up' } });
    await expect(events.next()).rejects.toBe(revoked);
  });

  it('a watch ends with UNAVAILABLE when the service stops', async () => {
    const stopped = await startTestPermissions(runtime);
    const events = stopped.watch({
      userId: createId(),
      signal: new AbortController().signal,
      recheck,
    });
    await expect(events.next()).resolves.toEqual({ done: false, value: { kind: 'caught_up' } });
    const next = events.next();
    stopped.stopping.abort();
    await expect(next).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await stopped.close();
  });

  it('each watch starts by sending every pending request, even those that an earlier watch has sent', async () => {
    const agent = await runtime.newAgent();
    const { id } = await ask(agent);
    const first = watch(agent.userId);
    await first.shows(`${id} pending`, 'caught up');
    first.stop();
    await first.ended;
    await watch(agent.userId).shows(`${id} pending`, 'caught up');
  });

  it('a watch sends every request once, even if many arrive while it is starting', async () => {
    const agent = await runtime.newAgent();
    const asking = Array.from({ length: 4 }, createId).flatMap((id) =>
      Array.from({ length: 5 }, () => ask({ ...agent, id })),
    );
    const ending = new AbortController();
    endings.push(ending);
    const seen: string[] = [];
    const call = { userId: agent.userId, signal: ending.signal, recheck };
    const watching = (async () => {
      for await (const event of permissions.watchWithoutHints(call))
        if (event.kind === 'request') seen.push(event.request.id);
    })();
    const ids = (await Promise.all(asking)).map(({ id }) => id);
    await eventually(() => ids.every((id) => seen.includes(id)));
    ending.abort();
    await watching;
    expect(seen).toHaveLength(ids.length);
  });

  it('a subuser’s owner receives the requests from the subuser’s agents; a stranger does not', async () => {
    const ownerUserId = createId();
    const agent = { ...(await runtime.newAgent()), ownerUserId };
    const owner = watch(ownerUserId);
    const stranger = watch(createId());
    await owner.shows('caught up');
    const { id } = await ask(agent);
    await owner.shows('caught up', `${id} pending`);
    await stranger.shows('caught up');
  });
});

describe('listing permission requests', () => {
  const all = { states: [], agentId: '', pageSize: 0, pageToken: '' };

  it('all permission requests are listed page by page', async () => {
    const agent = await runtime.newAgent();
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1) made.unshift((await ask(agent)).id);
    const read: string[] = [];
    let pageToken = '';
    do {
      const call = { ...all, userId: agent.userId, pageSize: 2, pageToken };
      const { requests, nextPageToken } = await permissions.list(call);
      read.push(...requests.map(({ id }) => id));
      pageToken = nextPageToken;
    } while (pageToken);
    expect(read.sort()).toEqual(made.sort());
  });

  it.each([{ pageSize: 1_001 }, { pageToken: 'nonsense' }, { agentId: '!' }])(
    'listing permission requests with %j is refused',
    async (wrong) => {
      const call = { ...all, userId: createId(), ...wrong };
      await expect(permissions.list(call)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    },
  );
});

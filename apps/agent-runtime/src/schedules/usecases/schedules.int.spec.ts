import { describe, expect, it } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import { createId } from '@daycare/api/create-id';
import { toAppError } from '@daycare/api';
import { maxSchedules } from '../domain/schedule';
import { cronCall, startTestSchedules } from '../../test-support/test-schedules';
import { makeListScope } from '../../scope/usecases/list-scope';

const schedules = useFixture(startTestSchedules);

const heartbeatCall = (userId: string, overrides: object = {}) => ({
  userId,
  requestId: createId(),
  title: 'Mail',
  prompt: 'Look after it',
  ...overrides,
});
const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'OK',
    (error: unknown) => toAppError(error).code,
  );
const cronsOf = async (userId: string) =>
  (await schedules.listCrons({ userId, pageSize: 0, pageToken: '' })).crons;

/** A common interface to both kinds of schedules. */
const kinds = [
  {
    what: 'cron',
    make: (userId: string, overrides: { requestId?: string; prompt?: string } = {}) =>
      schedules.createCron(cronCall(userId, { schedule: '0 0 1 1 *', ...overrides })),
    remove: (userId: string, id: string, requestId: string) =>
      schedules.deleteCron({ userId, cronId: id, requestId }),
    list: async (userId: string, pageSize: number, pageToken: string) => {
      const { crons, ...rest } = await schedules.listCrons({ userId, pageSize, pageToken });
      return { ids: crons.map(({ id }) => id), ...rest };
    },
  },
  {
    what: 'heartbeat',
    make: (userId: string, overrides: { requestId?: string; prompt?: string } = {}) =>
      schedules.createHeartbeat(heartbeatCall(userId, overrides)),
    remove: (userId: string, id: string, requestId: string) =>
      schedules.deleteHeartbeat({ userId, heartbeatId: id, requestId }),
    list: async (userId: string, pageSize: number, pageToken: string) => {
      const call = { userId, pageSize, pageToken };
      const { heartbeats, ...rest } = await schedules.listHeartbeats(call);
      return { ids: heartbeats.map(({ id }) => id), ...rest };
    },
  },
];

describe.each(kinds)('a $what', ({ make, remove, list }) => {
  it('a request creates one schedule, and its user cannot reuse the request id for another', async () => {
    const userId = createId();
    const requestId = createId();
    const made = await Promise.all(Array.from({ length: 6 }, () => make(userId, { requestId })));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect((await list(userId, 0, '')).ids).toHaveLength(1);
    const reuse = make(userId, { requestId, prompt: 'Something else' });
    await expect(reuse).rejects.toMatchObject({ code: 'REQUEST_ID_REUSED' });
    await expect(make(createId(), { requestId })).resolves.not.toMatchObject({ id: made[0]!.id });
  });

  it('a deleted schedule stays deleted, whichever request is retried', async () => {
    const userId = createId();
    const requestId = createId();
    const { id } = await make(userId, { requestId });
    expect(await codeOf(remove(createId(), id, 'r1'))).toBe('NOT_FOUND');
    await remove(userId, id, 'r1');
    await remove(userId, id, 'r1');
    expect(await codeOf(remove(userId, id, 'r2'))).toBe('NOT_FOUND');
    expect(await codeOf(make(userId, { requestId }))).toBe('NOT_FOUND');
    expect((await list(userId, 0, '')).ids).toEqual([]);
  });

  it('a user has at most a hundred schedules of a kind, even when many are created concurrently', async () => {
    const userId = createId();
    const codes = await Promise.all(
      Array.from({ length: maxSchedules + 10 }, () => codeOf(make(userId))),
    );
    expect(codes.filter((code) => code === 'OK')).toHaveLength(maxSchedules);
    expect(codes.filter((code) => code === 'QUOTA_EXCEEDED')).toHaveLength(10);
    const [first] = (await list(userId, 1, '')).ids;
    await remove(userId, first!, createId());
    await make(userId);
    await expect(make(userId)).rejects.toMatchObject({
      details: { quota: { subject: 'caller' } },
    });
  });

  it('an owner and a hundred subusers together have at most a hundred schedules of a kind', async () => {
    const ownerId = createId();
    const family = [ownerId, ...Array.from({ length: 100 }, () => `${createId()}-of-${ownerId}`)];
    const codes = await Promise.all(family.map((userId) => codeOf(make(userId))));
    expect(codes.filter((code) => code === 'OK')).toHaveLength(maxSchedules);
    expect(codes.filter((code) => code === 'QUOTA_EXCEEDED')).toHaveLength(1);
    const withOne = family[codes.indexOf('OK')]!;
    const [first] = (await list(withOne, 1, '')).ids;
    await remove(withOne, first!, createId());
    expect(await codeOf(make(family[codes.indexOf('QUOTA_EXCEEDED')]!))).toBe('OK');
  });

  it('all schedules of a kind are listed page by page, oldest first', async () => {
    const userId = createId();
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      schedules.clock.now = new Date(schedules.clock.now.getTime() + 1);
      ids.push((await make(userId)).id);
    }
    const first = await list(userId, 2, '');
    const second = await list(userId, 2, first.nextPageToken);
    const third = await list(userId, 2, second.nextPageToken);
    expect([...first.ids, ...second.ids, ...third.ids]).toEqual(ids);
    expect(third.nextPageToken).toBe('');
    expect(await codeOf(list(userId, 2, 'WyJ4Il0'))).toBe('INVALID_ARGUMENT');
  });
});

describe('a cron', () => {
  it.each([
    ['name', { name: ' ' }],
    ['schedule', { schedule: '* * * * * *' }],
    ['schedule', { schedule: '0 0 31 2 *' }],
    ['prompt', { prompt: '' }],
    ['time_zone', { timeZone: 'Nowhere/Land' }],
    ['agent_id', { agentId: '../x' }],
    ['request_id', { requestId: '' }],
  ])('a cron with an invalid %s is refused: %j', async (field, wrong) => {
    const userId = createId();
    const refused = schedules.createCron(cronCall(userId, wrong));
    await expect(refused).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { fields: [{ field }] },
    });
    expect(await cronsOf(userId)).toEqual([]);
  });

  it('a cron can name only agents of its own user; another user’s agent causes the same error as one that does not exist', async () => {
    const [own, foreign] = await Promise.all([
      schedules.runtime.newAgent(),
      schedules.runtime.newAgent(),
    ]);
    const make = (agentId: string) => schedules.createCron(cronCall(own.userId, { agentId }));
    expect(await make(own.id)).toMatchObject({ agentId: own.id });
    const [absent, hidden] = await Promise.all(
      [createId(), foreign.id].map((id) => make(id).catch((error: unknown) => error)),
    );
    expect(absent).toMatchObject({ code: 'NOT_FOUND' });
    expect(hidden).toEqual(absent);
  });

  it('a cron is paused and resumed once per request; a late retry undoes nothing', async () => {
    const userId = createId();
    const { id: cronId } = await schedules.createCron(cronCall(userId));
    const change = (requestId: string, resume: boolean) =>
      schedules.pauseCron({ userId, cronId, requestId, resume });
    expect((await change('p1', false)).nextFireAt).toBeUndefined();
    const { nextFireAt } = await change('r1', true);
    expect(nextFireAt).toBeDefined();
    expect((await change('p1', false)).nextFireAt).toEqual(nextFireAt);
    expect((await change('r2', true)).nextFireAt).toEqual(nextFireAt);
    await change('p2', false);
    expect((await change('r2', true)).nextFireAt).toBeUndefined();
  });
});

it('the lists in a scope are paged together by one token; a list that has ended is empty on all further pages', async () => {
  const [ada, bob] = [createId(), createId()].sort();
  for (const [userId, count] of [
    [ada!, 3],
    [bob!, 2],
  ] as const)
    for (let index = 0; index < count; index += 1)
      await schedules.createCron(cronCall(userId, { schedule: '0 0 1 1 *' }));
  await schedules.createHeartbeat(heartbeatCall(bob!));
  const listScope = makeListScope({ ...schedules, sleepAfterMs: 60_000, now: schedules.now });
  const pages = [];
  let pageToken = '';
  do {
    const call = { userIds: [bob!, ada!], gatewayUserIds: [], includeDead: false };
    const page = await listScope({ ...call, pageSize: 2, pageToken });
    expect(page).toMatchObject({ agentCount: 5, cronCount: 5, heartbeatCount: 1 });
    pages.push(page);
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  expect(pages.map(({ crons }) => crons.length)).toEqual([2, 2, 1]);
  expect(pages.map(({ agents }) => agents.length)).toEqual([2, 2, 1]);
  expect(pages.map(({ heartbeats }) => heartbeats.length)).toEqual([1, 0, 0]);
  const crons = pages.flatMap((page) => page.crons);
  expect(crons.map(({ userId }) => userId)).toEqual([ada, ada, ada, bob, bob]);
  expect(new Set(crons.map(({ id }) => id)).size).toBe(5);
});

it('deleting a user deletes its schedules', async () => {
  const userId = createId();
  await schedules.createCron(cronCall(userId));
  await schedules.createHeartbeat(heartbeatCall(userId));
  for (const store of [schedules.crons, schedules.heartbeats]) await store.deleteByUser(userId);
  const { db } = schedules.runtime.mongo;
  for (const name of ['crons', 'heartbeats', 'heartbeat_batches'])
    expect(await db.collection(name).countDocuments({ userId })).toBe(0);
});

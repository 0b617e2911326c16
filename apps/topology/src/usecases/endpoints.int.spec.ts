import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import type { AskedEndpoint, EndpointChange } from '../domain/endpoint';
import { livingAgent, nobody, TestEdges, type TestEdge } from '../test-support/test-edge';

let edges: TestEdges;
let on: TestEdge;
let userId: string;

beforeAll(async () => {
  edges = await TestEdges.open();
  on = await edges.start({ ports: [{ from: 8_000, to: 8_999 }] });
});
beforeEach(() => void (userId = createId()));
afterAll(() => edges.close());

const port = { kind: 'port', port: 8_080 } as const;
const agent = { kind: 'agent', agentId: livingAgent } as const;
const same: EndpointChange = {
  name: undefined,
  target: undefined,
  mode: undefined,
  auth: undefined,
  rotatePassword: false,
};

function create(wish: Partial<AskedEndpoint> = {}, requestId = createId(), by = userId) {
  const asked = { name: 'site', target: port, mode: 'public', auth: 'none', ...wish } as const;
  return on.createEndpoint({ caller: { userId: by }, requestId, signal: nobody, asked });
}
function update(endpointId: string, change: Partial<EndpointChange>, requestId = createId()) {
  const call = { caller: { userId }, requestId, signal: nobody, endpointId };
  return on.updateEndpoint({ ...call, change: { ...same, ...change } });
}
function remove(endpointId: string, requestId = createId(), by = userId): Promise<void> {
  return on.deleteEndpoint({ caller: { userId: by }, requestId, endpointId });
}
const list = (pageSize = 0, pageToken = '', by = userId) =>
  on.listEndpoints({ userId: by, pageSize, pageToken });
const code = (expected: string) => expect.objectContaining({ code: expected });
const stored = () => edges.mongo.db.collection('endpoints');

describe('creating an endpoint', () => {
  it('shows the password once and keeps its hash', async () => {
    const { endpoint, password } = await create({ name: ' site ', auth: 'password' });
    expect(endpoint).toMatchObject({ userId, name: 'site', target: port, auth: 'password' });
    expect(password).toMatch(/^[\w-]{27}$/);
    expect(JSON.stringify(await stored().findOne({ userId }))).not.toContain(password);
    expect((await create()).password).toBe('');
  });

  it('happens once for a request, also when asked at the same moment', async () => {
    const asked = await Promise.all([1, 2, 3].map(() => create({ auth: 'password' }, 'r1')));
    expect(new Set(asked.map(({ endpoint }) => endpoint.id)).size).toBe(1);
    expect(asked.filter(({ password }) => password !== '')).toHaveLength(1);
    await expect(create({ name: 'other', auth: 'password' }, 'r1')).rejects.toEqual(
      code('REQUEST_ID_REUSED'),
    );
    expect((await create({}, 'r1', createId())).endpoint.id).not.toBe(asked[0]!.endpoint.id);
  });

  it('is answered to a retry even when the agent has died since', async () => {
    const { endpoint } = await create({ target: agent, auth: 'password' }, 'r2');
    edges.agents.delete(livingAgent);
    const again = await create({ target: agent, auth: 'password' }, 'r2');
    await expect(create({ target: agent, auth: 'password' })).rejects.toEqual(code('NOT_FOUND'));
    edges.agents.add(livingAgent);
    expect(again).toEqual({ endpoint, password: '' });
  });

  it('ends at a hundred, also when many are asked for at the same moment', async () => {
    const asked = await Promise.allSettled(Array.from({ length: 110 }, () => create()));
    const refused = asked.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(refused).toHaveLength(10);
    expect(refused[0]).toMatchObject({ code: 'QUOTA_EXCEEDED', details: { quota: {} } });
    const { endpoints } = await list(1_000);
    expect(endpoints).toHaveLength(100);
    await remove(endpoints[50]!.id);
    await expect(create()).resolves.toBeDefined();
  });

  it.each<[Partial<AskedEndpoint>, string]>([
    [{ name: '' }, 'INVALID_ARGUMENT'],
    [{ target: undefined }, 'INVALID_ARGUMENT'],
    [{ mode: undefined }, 'INVALID_ARGUMENT'],
    [{ target: { kind: 'port', port: 22 } }, 'INVALID_ARGUMENT'],
    [{ target: agent }, 'INVALID_ARGUMENT'],
    [{ target: { kind: 'agent', agentId: 'foreign' }, auth: 'password' }, 'NOT_FOUND'],
    [{ target: { kind: 'unix', path: 'web.sock' } }, 'FAILED_PRECONDITION'],
  ])('refuses %j', async (wish, refusal) => {
    await expect(create(wish)).rejects.toEqual(code(refusal));
    expect((await list()).endpoints).toEqual([]);
  });
});

describe('changing an endpoint', () => {
  it('keeps its id and what is not named, and draws a password when protection begins', async () => {
    const { endpoint } = await create();
    const named = await update(endpoint.id, { name: 'new', mode: 'local_network' });
    expect(named).toMatchObject({
      endpoint: { id: endpoint.id, name: 'new', target: port, mode: 'local_network', version: 2 },
      password: '',
    });
    const guarded = await update(endpoint.id, { auth: 'password' });
    expect(guarded.password).toMatch(/^[\w-]{27}$/);
    const drawn = await update(endpoint.id, { rotatePassword: true });
    expect(drawn.password).not.toBe(guarded.password);
    await update(endpoint.id, { auth: 'none' });
    expect(await stored().findOne({ userId })).not.toHaveProperty('passwordHash');
  });

  it('happens once for a request: a late retry does not undo a later change', async () => {
    const { endpoint } = await create({ auth: 'password' });
    const first = await update(endpoint.id, { name: 'one', rotatePassword: true }, 'r1');
    await update(endpoint.id, { name: 'two' });
    const again = await update(endpoint.id, { name: 'one', rotatePassword: true }, 'r1');
    expect([first.password.length, again.password, again.endpoint.name]).toEqual([27, '', 'two']);
    await expect(update(endpoint.id, { name: 'three' }, 'r1')).rejects.toEqual(
      code('REQUEST_ID_REUSED'),
    );
  });

  it('loses nothing when several do it at once', async () => {
    const { endpoint } = await create();
    await Promise.all([
      update(endpoint.id, { name: 'new' }),
      update(endpoint.id, { mode: 'local_network' }),
      update(endpoint.id, { target: { kind: 'port', port: 8_081 } }),
    ]);
    expect((await list()).endpoints).toMatchObject([
      { name: 'new', mode: 'local_network', target: { port: 8_081 }, version: 4 },
    ]);
  });

  it.each<[Partial<EndpointChange>, string]>([
    [{ name: 'x'.repeat(101) }, 'INVALID_ARGUMENT'],
    [{ rotatePassword: true }, 'INVALID_ARGUMENT'],
    [{ target: agent }, 'INVALID_ARGUMENT'],
    [{ target: { kind: 'port', port: 9_000 } }, 'INVALID_ARGUMENT'],
    [{ target: { kind: 'agent', agentId: 'foreign' }, auth: 'password' }, 'NOT_FOUND'],
    [{ target: { kind: 'unix', path: 'web.sock' } }, 'FAILED_PRECONDITION'],
  ])('refuses %j', async (change, refusal) => {
    const { endpoint } = await create();
    await expect(update(endpoint.id, change)).rejects.toEqual(code(refusal));
    expect((await list()).endpoints).toEqual([endpoint]);
  });
});

describe('deleting an endpoint', () => {
  it('may be repeated by the request that did it, and by no other', async () => {
    const { endpoint } = await create({}, 'made');
    await remove(endpoint.id, 'r1');
    await remove(endpoint.id, 'r1');
    await expect(remove(endpoint.id, 'r2')).rejects.toEqual(code('NOT_FOUND'));
    expect((await list()).endpoints).toEqual([]);
    const retried = await create({}, 'made');
    expect([retried.endpoint.id, (await list()).endpoints]).toEqual([endpoint.id, []]);
  });
});

describe('another user', () => {
  it('hears of an endpoint what it would hear of none', async () => {
    const { endpoint } = await create({}, createId(), 'owner1');
    const absent = createId();
    const heard = await Promise.all(
      [endpoint.id, absent].flatMap((id) => [
        update(id, { name: 'mine' }).catch((error: unknown) => error),
        remove(id).catch((error: unknown) => error),
      ]),
    );
    expect(heard.map((error) => (error as Error).message)).toEqual(
      Array(4).fill('endpoint not found'),
    );
    expect((await list()).endpoints).toEqual([]);
    expect((await list(0, '', 'owner1')).endpoints).toEqual([endpoint]);
  });
});

describe('the list', () => {
  it('is paged, oldest first, and takes only tokens that it gave out', async () => {
    const made: string[] = [];
    for (const name of ['a', 'b', 'c']) made.push((await create({ name })).endpoint.id);
    const first = await list(2);
    const second = await list(2, first.nextPageToken);
    const ids = [...first.endpoints, ...second.endpoints].map(({ id }) => id);
    expect([ids, second.nextPageToken]).toEqual([made, '']);
    await expect(list(2, 'nonsense')).rejects.toEqual(code('INVALID_ARGUMENT'));
    await expect(list(1_001)).rejects.toEqual(code('INVALID_ARGUMENT'));
  });
});

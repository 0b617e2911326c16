import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import type { EndpointChange, EndpointRequest } from '../../domain/endpoints/endpoint';
import { SecretBox } from './secret-box';
import { livingAgent, neverAborted, TestEdges, type TestEdge } from '../../test-support/test-edge';

let edges: TestEdges;
let edge: TestEdge;
let userId: string;

beforeAll(async () => {
  edges = await TestEdges.open();
  edge = await edges.start({ ports: [{ from: 8_000, to: 8_999 }] });
});
beforeEach(() => void (userId = createId()));
afterAll(() => edges.close());

const port = { kind: 'port', port: 8_080 } as const;
const agent = { kind: 'agent', agentId: livingAgent } as const;
const noChange: EndpointChange = {
  name: undefined,
  target: undefined,
  mode: undefined,
  auth: undefined,
  rotatePassword: false,
};

function create(changes: Partial<EndpointRequest> = {}, requestId = createId(), callerId = userId) {
  const defaults = { name: 'site', target: port, mode: 'public', auth: 'none' } as const;
  const request = { ...defaults, ...changes };
  const caller = { userId: callerId };
  return edge.createEndpoint({ caller, requestId, signal: neverAborted, request });
}
function update(endpointId: string, change: Partial<EndpointChange>, requestId = createId()) {
  const call = { caller: { userId }, requestId, signal: neverAborted, endpointId };
  return edge.updateEndpoint({ ...call, change: { ...noChange, ...change } });
}
function remove(endpointId: string, requestId = createId()): Promise<void> {
  return edge.deleteEndpoint({ caller: { userId }, requestId, endpointId });
}
const list = (pageSize = 0, pageToken = '', callerId = userId) =>
  edge.listEndpoints({ userId: callerId, pageSize, pageToken });
const code = (expected: string) => expect.objectContaining({ code: expected });
const storedEndpoints = () => edges.mongo.db.collection('endpoints');

it('an endpoint remembers that a guest’s turn chose its name or target, until the user chooses both', async () => {
  const base = { requestId: createId(), signal: neverAborted };
  const request = { name: 'site', target: port, mode: 'public', auth: 'none' } as const;
  const guest = { userId, agentId: livingAgent, trust: 'guest' } as const;
  const own = { ...guest, trust: 'own' } as const;
  const { endpoint } = await edge.createEndpoint({ ...base, caller: guest, request });
  expect(endpoint.writtenBy).toBe('guest');
  const change = async (caller: typeof guest | typeof own, changes: Partial<EndpointChange>) => {
    const call = { ...base, caller, requestId: createId(), endpointId: endpoint.id };
    return edge.updateEndpoint({ ...call, change: { ...noChange, ...changes } });
  };
  await change(own, { name: 'mine' });
  expect((await list()).endpoints[0]).toMatchObject({ name: 'mine', writtenBy: 'guest' });
  await change(own, { name: 'mine', target: port });
  expect((await list()).endpoints[0]).not.toHaveProperty('writtenBy');
  await change(guest, { mode: 'local_network' });
  expect((await list()).endpoints[0]).not.toHaveProperty('writtenBy');
  await change(guest, { name: 'theirs' });
  expect((await list()).endpoints[0]).toMatchObject({ writtenBy: 'guest' });
});

describe('createEndpoint', () => {
  it('creating an endpoint returns a password only if it is protected by one, and stores only the hash', async () => {
    const { endpoint, password } = await create({ name: ' site ', auth: 'password' });
    expect(endpoint).toMatchObject({ userId, name: 'site', target: port, auth: 'password' });
    expect(password).toMatch(/^[\w-]{27}$/);
    expect(JSON.stringify(await storedEndpoints().findOne({ userId }))).not.toContain(password);
    expect((await create()).password).toBe('');
  });

  it('creating a signed webhook returns a generated secret, which is stored encrypted and not returned to a retry', async () => {
    const { secret, password } = await create({ target: agent, auth: 'github' }, 'signed');
    expect([secret, password]).toEqual([expect.stringMatching(/^[\w-]{43}$/), '']);
    const row = await storedEndpoints().findOne({ userId });
    expect(JSON.stringify(row)).not.toContain(secret);
    expect(new SecretBox('a key for tests only').open(row!['sealedSecret'], String(row!._id))).toBe(
      secret,
    );
    const again = await create({ target: agent, auth: 'github' }, 'signed');
    expect(again).toMatchObject({ secret: '', password: '' });
  });

  it('a secret that the caller provides is neither shown nor stored in plain text, and a retry must provide the same secret', async () => {
    const request = { target: agent, auth: 'stripe', secret: 'whsec_0123456789abcdef' } as const;
    expect(await create(request, 'given')).toMatchObject({ secret: '', password: '' });
    expect(JSON.stringify(await storedEndpoints().findOne({ userId }))).not.toContain(
      '0123456789abcdef',
    );
    await expect(create(request, 'given')).resolves.toMatchObject({ secret: '' });
    const other = { ...request, secret: 'whsec_fedcba9876543210' };
    await expect(create(other, 'given')).rejects.toEqual(code('REQUEST_ID_REUSED'));
  });

  it('an endpoint is created only once per request id, even for concurrent requests', async () => {
    const created = await Promise.all([1, 2, 3].map(() => create({ auth: 'password' }, 'r1')));
    expect(new Set(created.map(({ endpoint }) => endpoint.id)).size).toBe(1);
    expect(created.filter(({ password }) => password !== '')).toHaveLength(1);
    await expect(create({ name: 'other', auth: 'password' }, 'r1')).rejects.toEqual(
      code('REQUEST_ID_REUSED'),
    );
    expect((await create({}, 'r1', createId())).endpoint.id).not.toBe(created[0]!.endpoint.id);
  });

  it('retrying the creation of an endpoint succeeds even if its agent has died in the meantime', async () => {
    const { endpoint } = await create({ target: agent, auth: 'password' }, 'r2');
    edges.agents.delete(livingAgent);
    const again = await create({ target: agent, auth: 'password' }, 'r2');
    await expect(create({ target: agent, auth: 'password' })).rejects.toEqual(code('NOT_FOUND'));
    edges.agents.add(livingAgent);
    expect(again).toEqual({ endpoint, password: '', secret: '' });
  });

  it('a guest’s turn that retries a creation gets the same endpoint, even if the user has since changed its name and target', async () => {
    const caller = { userId, agentId: livingAgent, trust: 'guest' } as const;
    const request = { name: 'site', target: agent, mode: 'public', auth: 'password' } as const;
    const call = { caller, requestId: createId(), signal: neverAborted, request };
    const { endpoint } = await edge.createEndpoint(call);
    await update(endpoint.id, { name: 'mine', target: port });
    edges.agents.delete(livingAgent);
    const again = await edge.createEndpoint(call).finally(() => edges.agents.add(livingAgent));
    expect(again.endpoint).toMatchObject({ id: endpoint.id, name: 'mine' });
  });

  it('a user can create at most a hundred endpoints, even with concurrent requests', async () => {
    const settled = await Promise.allSettled(Array.from({ length: 110 }, () => create()));
    const refused = settled.flatMap((result) =>
      result.status === 'rejected' ? [result.reason] : [],
    );
    expect(refused).toHaveLength(10);
    expect(refused[0]).toMatchObject({ code: 'QUOTA_EXCEEDED', details: { quota: {} } });
    const { endpoints } = await list(1_000);
    expect(endpoints).toHaveLength(100);
    await remove(endpoints[50]!.id);
    await expect(create()).resolves.toBeDefined();
  });

  const foreign = { kind: 'agent', agentId: 'foreign' } as const;
  const socket = { kind: 'unix', path: 'web.sock' } as const;
  const passwordAuth = { target: agent, auth: 'password' } as const;
  const githubAuth = { target: agent, auth: 'github' } as const;
  it.each<[string, Partial<EndpointRequest>, string]>([
    ['without a name', { name: '' }, 'INVALID_ARGUMENT'],
    ['without a target', { target: undefined }, 'INVALID_ARGUMENT'],
    ['without a mode', { mode: undefined }, 'INVALID_ARGUMENT'],
    ['for a port that is not allowed', { target: { kind: 'port', port: 22 } }, 'INVALID_ARGUMENT'],
    ['for an agent without authentication', { target: agent }, 'INVALID_ARGUMENT'],
    ['for another user’s agent', { target: foreign, auth: 'password' }, 'NOT_FOUND'],
    ['for a port with signed posts', { auth: 'github' }, 'INVALID_ARGUMENT'],
    ['with a secret that is too short', { ...githubAuth, secret: 'short' }, 'INVALID_ARGUMENT'],
    [
      'with both password and secret',
      { ...passwordAuth, secret: 'x'.repeat(20) },
      'INVALID_ARGUMENT',
    ],
    ['for a socket without access to home directories', { target: socket }, 'FAILED_PRECONDITION'],
  ])('creating an endpoint %s is refused', async (_, changes, refusal) => {
    await expect(create(changes)).rejects.toEqual(code(refusal));
    expect((await list()).endpoints).toEqual([]);
  });
});

describe('updateEndpoint', () => {
  it('changing how a webhook authenticates replaces its credentials', async () => {
    const { endpoint } = await create({ target: agent, auth: 'password' });
    const signed = await update(endpoint.id, { auth: 'slack' });
    expect(signed).toMatchObject({ secret: expect.stringMatching(/^[\w-]{43}$/), password: '' });
    expect(await storedEndpoints().findOne({ userId })).not.toHaveProperty('passwordHash');
    const rotated = await update(endpoint.id, { rotatePassword: true });
    expect(rotated.secret).not.toBe(signed.secret);
    expect((await update(endpoint.id, { secret: 'x'.repeat(16) })).secret).toBe('');
    expect((await update(endpoint.id, { auth: 'password' })).password).not.toBe('');
    expect(await storedEndpoints().findOne({ userId })).not.toHaveProperty('sealedSecret');
    await remove(endpoint.id);
    expect(await storedEndpoints().findOne({ userId })).not.toHaveProperty('passwordHash');
  });

  it('changing an endpoint keeps its id and other settings, and generates a password when protection is turned on', async () => {
    const { endpoint } = await create();
    const named = await update(endpoint.id, { name: 'new', mode: 'local_network' });
    expect(named).toMatchObject({
      endpoint: { id: endpoint.id, name: 'new', target: port, mode: 'local_network', version: 2 },
      password: '',
    });
    const protectedNow = await update(endpoint.id, { auth: 'password' });
    expect(protectedNow.password).toMatch(/^[\w-]{27}$/);
    const rotated = await update(endpoint.id, { rotatePassword: true });
    expect(rotated.password).not.toBe(protectedNow.password);
    await update(endpoint.id, { auth: 'none' });
    expect(await storedEndpoints().findOne({ userId })).not.toHaveProperty('passwordHash');
  });

  it('an endpoint is changed only once per request id, so a late retry does not undo a later change', async () => {
    const { endpoint } = await create({ auth: 'password' });
    const first = await update(endpoint.id, { name: 'one', rotatePassword: true }, 'r1');
    await update(endpoint.id, { name: 'two' });
    const again = await update(endpoint.id, { name: 'one', rotatePassword: true }, 'r1');
    expect([first.password.length, again.password, again.endpoint.name]).toEqual([27, '', 'two']);
    await expect(update(endpoint.id, { name: 'three' }, 'r1')).rejects.toEqual(
      code('REQUEST_ID_REUSED'),
    );
  });

  it('concurrent changes to an endpoint are all applied', async () => {
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
  ])('changing an endpoint with %j is refused', async (change, refusal) => {
    const { endpoint } = await create();
    await expect(update(endpoint.id, change)).rejects.toEqual(code(refusal));
    expect((await list()).endpoints).toEqual([endpoint]);
  });
});

describe('deleteEndpoint', () => {
  it('deleting an endpoint can be retried with the same request id, but not with another', async () => {
    const { endpoint } = await create({}, 'created');
    await remove(endpoint.id, 'r1');
    await remove(endpoint.id, 'r1');
    await expect(remove(endpoint.id, 'r2')).rejects.toEqual(code('NOT_FOUND'));
    expect((await list()).endpoints).toEqual([]);
    const retried = await create({}, 'created');
    expect([retried.endpoint.id, (await list()).endpoints]).toEqual([endpoint.id, []]);
  });
});

describe('isolation', () => {
  it('another user’s endpoint is NOT_FOUND, exactly like one that does not exist', async () => {
    const { endpoint } = await create({}, createId(), 'owner1');
    const absent = createId();
    const errors = await Promise.all(
      [endpoint.id, absent].flatMap((id) => [
        update(id, { name: 'mine' }).catch((error: unknown) => error),
        remove(id).catch((error: unknown) => error),
      ]),
    );
    expect(errors.map((error) => (error as Error).message)).toEqual(
      Array(4).fill('Endpoint not found'),
    );
    expect((await list()).endpoints).toEqual([]);
    expect((await list(0, '', 'owner1')).endpoints).toEqual([endpoint]);
  });
});

describe('listEndpoints', () => {
  it('the list of endpoints is paged, oldest first, and rejects invalid page tokens', async () => {
    const created: string[] = [];
    for (const name of ['a', 'b', 'c']) created.push((await create({ name })).endpoint.id);
    const first = await list(2);
    const second = await list(2, first.nextPageToken);
    const ids = [...first.endpoints, ...second.endpoints].map(({ id }) => id);
    expect([ids, second.nextPageToken]).toEqual([created, '']);
    await expect(list(2, 'nonsense')).rejects.toEqual(code('INVALID_ARGUMENT'));
    await expect(list(1_001)).rejects.toEqual(code('INVALID_ARGUMENT'));
  });
});

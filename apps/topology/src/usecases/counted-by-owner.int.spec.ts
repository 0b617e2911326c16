import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { emission, signal } from '../test-support/test-wiring';
import { buildUsecases } from '../test-support/test-wiring';
import { neverAborted, TestEdges, type TestEdge } from '../test-support/test-edge';

let edges: TestEdges;
let edge: TestEdge;
let usecases: ReturnType<typeof buildUsecases>;
beforeAll(async () => {
  edges = await TestEdges.open();
  edge = await edges.start();
  usecases = buildUsecases(edges.stores, { now: () => new Date(), agents: new Map(), stuck: [] });
});
afterAll(() => edges.close());

let ownerUserId: string;
beforeEach(() => void (ownerUserId = createId()));

const subuser = () => ({ userId: createId(), parentUserId: ownerUserId, agentId: createId() });
const quota = { code: 'QUOTA_EXCEEDED' };

/** Stores a thousand documents as if the owner's other subusers had created them. */
async function fill(collection: string, fields: object): Promise<void> {
  const documents = Array.from({ length: 1_000 }, (_, index) => {
    const userId = createId();
    return { _id: createId() as never, userId, ownerUserId, name: `n${index}`, ...fields };
  });
  await edges.mongo.db.collection(collection).insertMany(documents);
}

it('the limit on subscriptions applies to an owner and all its subusers together', async () => {
  await fill('subscriptions', { isActive: true });
  const call = { caller: subuser(), requestId: 'r', pattern: 'a', silent: true, agentId: '' };
  await expect(usecases.subscribeSignal({ ...call, signal })).rejects.toMatchObject(quota);
  const owner = { userId: ownerUserId, agentId: createId() };
  await expect(usecases.subscribeSignal({ ...call, caller: owner, signal })).rejects.toMatchObject(
    quota,
  );
  const stranger = { userId: createId(), agentId: createId() };
  await expect(
    usecases.subscribeSignal({ ...call, caller: stranger, signal }),
  ).resolves.toBeDefined();
});

it('the limit on channels applies to all of an owner’s subusers together', async () => {
  await fill('channels', { isDeleted: false, members: [] });
  const call = { caller: subuser(), requestId: 'r', name: 'ops', leaderAgentId: '', signal };
  await expect(usecases.createChannel({ ...call, leaderUsername: '' })).rejects.toMatchObject(
    quota,
  );
});

it('the limit on waiting signals applies to all of an owner’s subusers together', async () => {
  await fill('signals', { state: 'waiting', repeatKey: '', dueAt: new Date('2100-01-01') });
  const call = emission(subuser(), { delayMs: 1_000 });
  await expect(usecases.emitSignal(call)).rejects.toMatchObject(quota);
});

it('an owner’s subusers can have at most a hundred endpoints together, even with concurrent requests', async () => {
  const target = { kind: 'port', port: 8_080 } as const;
  const request = { name: 'site', target, mode: 'public', auth: 'none' } as const;
  const create = () =>
    edge.createEndpoint({
      caller: subuser(),
      requestId: createId(),
      signal: neverAborted,
      request,
    });
  const settled = await Promise.allSettled(Array.from({ length: 105 }, create));
  const refused = settled.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(5);
  expect(refused[0]).toMatchObject({ reason: quota });
});

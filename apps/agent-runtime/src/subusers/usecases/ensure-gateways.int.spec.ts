import { expect, it } from '@jest/globals';
import { AppError } from '@daycare/api';
import { createId } from '@daycare/api/create-id';
import { useFixture } from '@daycare/testing/jest';
import type { Delivery, DeliveryPlan } from '../../messaging/usecases/delivery/plan-deliveries';
import { buildTestDelivery } from '../../test-support/test-endings';
import { testContext } from '../../test-support/test-agent';
import { startTestRuntime } from '../../test-support/test-runtime';
import { promptOf } from '../../agents';
import { gatewayKey } from '../../agents/domain/descriptor/descriptor-kinds';
import { makeCreateSubuser } from './create-subuser';
import { makeEnsureGateways } from './ensure-gateways';
import type { Subusers } from './subuser-directory';

const runtime = useFixture(() => startTestRuntime());
const ownerId = createId();

const toGateway = (userId: string, text: string): Delivery => ({
  message: {
    kind: 'system_message',
    userId,
    messageId: createId(),
    acceptedAt: new Date(),
    text,
    origin: 'friend:otter7',
    silent: false,
    hops: 0,
  },
  target: { kind: 'gateway' },
  isRedelivery: false,
});

/** Delivers to subusers of one owner; all other users have no owner. Records the ids in each call to identity. */
function newDelivery(subuserIds: readonly string[], isDown = false) {
  const identityCalls: (readonly string[])[] = [];
  const findOrCreateAgent = async (userId: string) => {
    const key = gatewayKey(userId);
    const [existing] = await runtime.agents.findByKeys([{ userId, key }]);
    if (existing) return { agent: existing, created: false };
    const descriptor = { kind: 'subuser', id: userId, name: 'Cook', systemPrompt: '' } as const;
    return { agent: await runtime.newAgent(descriptor, userId, ownerId), created: true };
  };
  const ensureGateways = makeEnsureGateways({
    namesOf: async (ids) => {
      identityCalls.push(ids);
      if (isDown) throw new AppError('UNAVAILABLE', 'identity is down');
      return new Map(ids.map((id) => [id, 'Cook']));
    },
    findOrCreateAgent,
  });
  const delivery = buildTestDelivery(runtime, {
    ensureGateways,
    directory: {
      findById: async (userId) => ({
        userId,
        parentUserId: subuserIds.includes(userId) ? ownerId : undefined,
      }),
    },
  });
  const run = async (deliveries: readonly Delivery[]): Promise<(string | undefined)[]> => {
    const plans = await delivery.prepare(deliveries);
    await delivery.store(plans.filter((plan): plan is DeliveryPlan => !(plan instanceof Error)));
    return plans.map((plan) => (plan instanceof AppError ? plan.code : undefined));
  };
  return { identityCalls, run, findOrCreateAgent };
}

it('the first messages to subusers without gateway agents create these agents, with one call to identity for all names', async () => {
  const [first, second, person] = [createId(), createId(), createId()];
  const { identityCalls, run } = newDelivery([first, second]);
  const batch = [
    toGateway(first, 'first'),
    toGateway(first, 'second'),
    toGateway(second, 'third'),
    toGateway(person, 'a person has no gateway'),
  ];
  expect(await run(batch)).toEqual([undefined, undefined, undefined, 'NOT_FOUND']);
  expect(await run([toGateway(first, 'later')])).toEqual([undefined]);
  expect(identityCalls).toEqual([[first, second]]);
  const [gateway] = await runtime.agents.findByKeys([{ userId: first, key: gatewayKey(first) }]);
  expect(await runtime.inbox.next(gateway!, 10)).toMatchObject([
    { text: 'first' },
    { text: 'second' },
    { text: 'later' },
  ]);
});

it('while identity is unavailable, only messages to subusers without a gateway agent fail to be delivered', async () => {
  const [withoutGateway, withGateway] = [createId(), createId()];
  const descriptor = { kind: 'subuser', id: withGateway, name: 'Cook', systemPrompt: '' } as const;
  await runtime.newAgent(descriptor, withGateway, ownerId);
  const { run } = newDelivery([withoutGateway, withGateway], true);
  const batch = [toGateway(withoutGateway, 'waits'), toGateway(withGateway, 'arrives')];
  expect(await run(batch)).toEqual(['UNAVAILABLE', undefined]);
});

it('creating a subuser sets the prompt of a gateway agent that a message already created, and a retry does not change it', async () => {
  const id = createId();
  const { run, findOrCreateAgent } = newDelivery([id]);
  const owner = await runtime.newAgent();
  const createSubuser = makeCreateSubuser({
    subusers: { create: async () => ({ id, name: 'Cook', nametag: 'x1' }) } as unknown as Subusers,
    agents: runtime.agents,
    findOrCreateAgent,
    ensureHome: async () => undefined,
    now: () => new Date(),
  });
  await run([toGateway(id, 'before the gateway')]);
  const call = testContext(owner, { requestId: createId() });
  const promptAfter = async (systemPrompt: string) => {
    const { gatewayAgentId } = await createSubuser(call, {
      name: 'Cook',
      systemPrompt,
      description: '',
    });
    return promptOf((await runtime.agents.find(gatewayAgentId))!.descriptor);
  };
  expect(await promptAfter('Cook well.')).toBe('Cook well.');
  expect(await promptAfter('Cook badly.')).toBe('Cook well.');
});

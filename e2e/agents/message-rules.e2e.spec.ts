import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import type { User } from '@daycare/contracts/identity';
import { eventually } from '@daycare/testing';
import type { Actor } from '../support/people/agents';
import { historyOf, summaryOf } from '../support/people/history';
import { useSharedStack } from '../support/stack/use-stack';
import type { Person } from '../support/people/people';
import { wireAnswer } from '../support/wire/wire-answer';

const stack = useSharedStack();
const { people, agents, graph, runtime } = stack;

let unknownAgent: unknown;

beforeAll(async () => {
  const ada = await people.newPerson();
  unknownAgent = await wireAnswer(send(await agents.foreground(ada), createId()));
  expect(unknownAgent).toMatchObject({
    code: 7,
    details: 'This agent may not send messages to that agent',
  });
});

let sentCount = 0;
const send = (
  { as }: Actor,
  agentId: string,
  text = `message ${(sentCount += 1)}`,
  requestId?: string,
) =>
  stack.runtimes[sentCount % 2]!.sendAgentMessage(
    { requestId: requestId ?? createId(), agentId, text },
    as,
  );

/** Expects a message to be refused as if there were no such agent. */
async function expectDenied(from: Actor, to: Actor): Promise<void> {
  expect(await wireAnswer(send(from, to.id))).toEqual(unknownAgent);
}

/** Expects a message to be accepted and delivered once. */
async function expectDelivered(from: Actor, to: Actor, agentId = to.id): Promise<void> {
  const text = `message ${createId()}`;
  const requestId = createId();
  const answer = await send(from, agentId, text, requestId);
  expect(answer.agentId).toBe(to.id);
  expect(await send(from, agentId, ` ${text} `, requestId)).toEqual(answer);
  const received = `${from.id}: ${text}`;
  const lines = await eventually(async () => {
    const current = (await historyOf(runtime, to, to.id)).map(summaryOf);
    return current.some((line) => line.startsWith('agent: ') && line.includes(text)) && current;
  });
  expect(lines.filter((line) => line === received)).toHaveLength(1);
}

describe('among one user’s agents', () => {
  it('a user’s agents of different kinds may write to each other, and an agent to itself', async () => {
    const ada = await people.newPerson();
    const [desk, keeper] = [await agents.foreground(ada), await agents.permanent(ada)];
    await expectDelivered(desk, keeper);
    await expectDelivered(keeper, desk);
    await expectDelivered(keeper, keeper);
    const helper = await people.newSubuser(ada);
    await expectDelivered(await agents.permanent(helper), await agents.gateway(helper));
  });

  it('a message without a recipient goes to the sender’s parent, if any, or else to the most recent foreground agent', async () => {
    const ada = await people.newPerson();
    const keeper = await agents.permanent(ada);
    await expect(send(keeper, '')).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' });
    const desk = await agents.foreground(ada, 'desk');
    const phone = await agents.foreground(ada, 'phone');
    const child = { id: createId(), parentAgentId: desk.id, name: 'Worker' };
    const worker = await agents.ensure(ada.id, { $case: 'subagent', value: child });
    const app = await agents.ensure(ada.id, {
      $case: 'app',
      value: { ...child, systemPrompt: '' },
    });
    await expectDelivered(keeper, phone, '');
    await expectDelivered(worker, desk, '');
    await expectDelivered(app, desk, '');
    await expectDelivered(phone, phone, '');
  });

  it('only an agent may send agent messages', async () => {
    const [ada, eve] = await people.newPair();
    const desk = await agents.foreground(ada);
    const refused = { code: 'FAILED_PRECONDITION' };
    await expect(send({ ...desk, as: ada.as }, desk.id)).rejects.toMatchObject(refused);
    // A user's token that names another user's agent, or an agent that does not exist.
    for (const agentId of [desk.id, createId()]) {
      const as = await people.signIn(eve.id, agentId);
      await expect(send({ id: agentId, userId: eve.id, as }, desk.id)).rejects.toMatchObject(
        refused,
      );
    }
  });
});

describe('between an owner and a subuser', () => {
  let ada: Person;
  let helper: User;
  let desk: Actor;
  let gateway: Actor;

  beforeEach(async () => {
    ada = await people.newPerson();
    helper = await people.newSubuser(ada);
    [desk, gateway] = await Promise.all([agents.foreground(ada), agents.gateway(helper)]);
  });

  it('all of the owner’s agents can write to a subuser’s gateway agent, which may write only to those that wrote to it', async () => {
    const [phone, keeper] = [await agents.foreground(ada, 'phone'), await agents.permanent(ada)];
    for (const agent of [desk, phone, keeper]) await expectDenied(gateway, agent);
    await expectDelivered(desk, gateway);
    await expectDelivered(gateway, desk);
    await expectDenied(gateway, phone);
    await expectDelivered(keeper, gateway);
    await expectDelivered(gateway, keeper);
    await expectDenied(gateway, phone);
  });

  it('only a subuser’s gateway agent exchanges messages with the owner’s agents, and subusers cannot write to each other', async () => {
    const [inner, other] = [await agents.permanent(helper), await people.newSubuser(ada)];
    const otherGateway = await agents.gateway(other);
    await expectDelivered(desk, gateway);
    await expectDenied(desk, inner);
    await expectDenied(inner, desk);
    await expectDenied(gateway, otherGateway);
    await expectDenied(otherGateway, gateway);
    await expectDenied(inner, otherGateway);
    await expectDenied(otherGateway, desk);
    await expectDelivered(inner, gateway);
  });

  it('strangers and friends cannot write to the owner’s agents or to a subuser that is not shared with them', async () => {
    const bob = await people.newPerson();
    const [bobsDesk, keeper] = [await agents.foreground(bob), await agents.permanent(ada)];
    await expectDelivered(desk, gateway);
    for (const agent of [desk, keeper, gateway]) await expectDenied(bobsDesk, agent);
    await people.befriend(ada, bob);
    for (const agent of [desk, keeper, gateway]) await expectDenied(bobsDesk, agent);
    for (const agent of [desk, gateway]) await expectDenied(agent, bobsDesk);
  });
});

describe('between a friend and a shared subuser', () => {
  it('a friend’s agent and a shared subuser’s gateway agent can exchange messages only from acceptance to revocation', async () => {
    const [ada, bob] = await people.newPair();
    const helper = await people.newSubuser(ada);
    const [gateway, inner] = [await agents.gateway(helper), await agents.permanent(helper)];
    const [desk, phone] = [await agents.foreground(bob), await agents.foreground(bob, 'phone')];
    const bobsHelper = await agents.gateway(await people.newSubuser(bob));
    await people.befriend(ada, bob);
    await people.share(ada, bob, helper);
    await expectDenied(desk, gateway);
    await people.acceptShare(bob, helper);
    await expectDenied(gateway, desk);
    await expectDelivered(desk, gateway);
    await expectDelivered(gateway, desk);
    await expectDenied(gateway, phone);
    await expectDenied(desk, inner);
    await expectDenied(inner, desk);
    await expectDenied(bobsHelper, gateway);
    await expectDenied(gateway, bobsHelper);
    await people.unshare(ada, bob, helper);
    await Promise.all([expectDenied(desk, gateway), expectDenied(gateway, desk)]);
    await people.share(ada, bob, helper);
    await expectDenied(desk, gateway);
    await people.acceptShare(bob, helper);
    await expectDelivered(desk, gateway);
    await graph.removeFriend({ requestId: createId(), nametag: ada.nametag }, bob.as);
    await Promise.all([expectDenied(desk, gateway), expectDenied(gateway, desk)]);
  });

  it('after the call that revokes a share has returned, no new message from the friend is accepted', async () => {
    const [ada, bob] = await people.newPair();
    const helper = await people.newSubuser(ada);
    const [gateway, desk] = [await agents.gateway(helper), await agents.foreground(bob)];
    await people.befriend(ada, bob);
    for (let round = 0; round < 5; round += 1) {
      await people.share(ada, bob, helper);
      await people.acceptShare(bob, helper);
      let isRevoked = false;
      const sender = async (): Promise<void> => {
        for (let refusalsLeft = 3; refusalsLeft > 0;) {
          const startsAfterRevocation = isRevoked;
          const answer = await wireAnswer(send(desk, gateway.id));
          if (startsAfterRevocation) expect(answer).toEqual(unknownAgent);
          if (startsAfterRevocation) refusalsLeft -= 1;
        }
      };
      const senders = Array.from({ length: 4 }, sender);
      await send(desk, gateway.id);
      await people.unshare(ada, bob, helper);
      isRevoked = true;
      await Promise.all(senders);
    }
  });

  it('after a revocation, retrying an accepted message returns the first response, but new text is refused', async () => {
    const [ada, bob] = await people.newPair();
    const helper = await people.newSubuser(ada);
    const [gateway, desk] = [await agents.gateway(helper), await agents.foreground(bob)];
    await people.befriend(ada, bob);
    await people.share(ada, bob, helper);
    await people.acceptShare(bob, helper);
    const first = await send(desk, gateway.id, 'kept', 'same');
    await people.unshare(ada, bob, helper);
    expect(await send(desk, gateway.id, 'kept', 'same')).toEqual(first);
    expect(await wireAnswer(send(desk, gateway.id, 'another', 'same'))).toEqual(unknownAgent);
  });
});

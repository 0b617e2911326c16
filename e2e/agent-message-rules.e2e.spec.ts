import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import type { User } from '@daycare/contracts/identity';
import { eventually } from '@daycare/testing';
import { AgentCast, type Actor } from './support/agent-cast';
import { historyOf, startAgentStack, summaryOf, type AgentStack } from './support/agent-stack';
import type { Person } from './support/people';
import { wireAnswer } from './support/wire-answer';

let agents: AgentStack;
let cast: AgentCast;
let unknownAgent: unknown;

beforeAll(async () => {
  agents = await startAgentStack({ replicas: 2 });
  cast = await AgentCast.open(agents);
  const ada = await agents.people.newPerson();
  unknownAgent = await wireAnswer(send(await cast.foreground(ada), createId()));
  expect(unknownAgent).toMatchObject({
    code: 7,
    details: 'This agent may not send messages to that agent',
  });
}, 60_000);
afterAll(async () => {
  cast.close();
  await agents.stop();
});

let sent = 0;
const send = (
  { as }: Actor,
  agentId: string,
  text = `message ${(sent += 1)}`,
  requestId?: string,
) =>
  agents.runtimes[sent % 2]!.sendAgentMessage(
    { requestId: requestId ?? createId(), agentId, text },
    as,
  );

/** It is refused just as if there were no such agent. */
async function expectDenied(from: Actor, to: Actor): Promise<void> {
  expect(await wireAnswer(send(from, to.id))).toEqual(unknownAgent);
}

/** It is accepted and arrives, once, as what the sender said. */
async function expectDelivered(from: Actor, to: Actor, agentId = to.id): Promise<void> {
  const text = `message ${createId()}`;
  const requestId = createId();
  const answer = await send(from, agentId, text, requestId);
  expect(answer.agentId).toBe(to.id);
  expect(await send(from, agentId, ` ${text} `, requestId)).toEqual(answer);
  const heard = `${from.id}: ${text}`;
  const history = await eventually(
    async () => {
      const records = (await historyOf(cast.runtime, to, to.id)).map(summaryOf);
      return records.some((each) => each.startsWith('agent: ') && each.includes(text)) && records;
    },
    { timeoutMs: 20_000 },
  );
  expect(history.filter((each) => each === heard)).toHaveLength(1);
}

describe('among agents of one user', () => {
  it('everybody may write to everybody', async () => {
    const ada = await agents.people.newPerson();
    const [desk, keeper] = [await cast.foreground(ada), await cast.permanent(ada)];
    await expectDelivered(desk, keeper);
    await expectDelivered(keeper, desk);
    await expectDelivered(keeper, keeper);
    const helper = await agents.people.newSubuser(ada);
    await expectDelivered(await cast.permanent(helper), await cast.gateway(helper));
  });

  it('a message without an address goes to the parent or to the most recent foreground agent', async () => {
    const ada = await agents.people.newPerson();
    const keeper = await cast.permanent(ada);
    await expect(send(keeper, '')).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' });
    const desk = await cast.foreground(ada, 'desk');
    const phone = await cast.foreground(ada, 'phone');
    const ofDesk = { id: createId(), parentAgentId: desk.id, name: 'Worker' };
    const worker = await cast.ensure(ada.id, { $case: 'subagent', value: ofDesk });
    const app = await cast.ensure(ada.id, {
      $case: 'app',
      value: { ...ofDesk, systemPrompt: '' },
    });
    await expectDelivered(keeper, phone, '');
    await expectDelivered(worker, desk, '');
    await expectDelivered(app, desk, '');
    await expectDelivered(phone, phone, '');
  });

  it('only an agent may send', async () => {
    const [ada, eve] = [await agents.people.newPerson(), await agents.people.newPerson()];
    const desk = await cast.foreground(ada);
    const refused = { code: 'FAILED_PRECONDITION' };
    await expect(send({ ...desk, as: ada.as }, desk.id)).rejects.toMatchObject(refused);
    // The token of a user that names an agent of somebody else, or none at all.
    for (const agentId of [desk.id, createId()]) {
      const as = await agents.people.signIn(eve.id, agentId);
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
    ada = await agents.people.newPerson();
    helper = await agents.people.newSubuser(ada);
    [desk, gateway] = await Promise.all([cast.foreground(ada), cast.gateway(helper)]);
  });

  it('every agent of the owner reaches the gateway, which answers those who wrote to it', async () => {
    const [phone, keeper] = [await cast.foreground(ada, 'phone'), await cast.permanent(ada)];
    for (const agent of [desk, phone, keeper]) await expectDenied(gateway, agent);
    await expectDelivered(desk, gateway);
    await expectDelivered(gateway, desk);
    await expectDenied(gateway, phone);
    await expectDelivered(keeper, gateway);
    await expectDelivered(gateway, keeper);
    await expectDenied(gateway, phone);
  });

  it('no other agent of the subuser is reached or gets out', async () => {
    const [inner, other] = [await cast.permanent(helper), await agents.people.newSubuser(ada)];
    const otherGateway = await cast.gateway(other);
    await expectDelivered(desk, gateway);
    await expectDenied(desk, inner);
    await expectDenied(inner, desk);
    await expectDenied(gateway, otherGateway);
    await expectDenied(otherGateway, gateway);
    await expectDenied(inner, otherGateway);
    await expectDenied(otherGateway, desk);
    await expectDelivered(inner, gateway);
  });

  it('strangers and friends reach neither', async () => {
    const bob = await agents.people.newPerson();
    const [theirs, keeper] = [await cast.foreground(bob), await cast.permanent(ada)];
    await expectDelivered(desk, gateway);
    for (const agent of [desk, keeper, gateway]) await expectDenied(theirs, agent);
    await cast.befriend(ada, bob);
    for (const agent of [desk, keeper, gateway]) await expectDenied(theirs, agent);
    for (const agent of [desk, gateway]) await expectDenied(agent, theirs);
  });
});

describe('between a friend and a shared subuser', () => {
  it('the friend reaches the gateway from acceptance to revoke, and is answered only then', async () => {
    const [ada, bob] = await Promise.all([agents.people.newPerson(), agents.people.newPerson()]);
    const helper = await agents.people.newSubuser(ada);
    const [gateway, inner] = [await cast.gateway(helper), await cast.permanent(helper)];
    const [desk, phone] = [await cast.foreground(bob), await cast.foreground(bob, 'phone')];
    const bobsHelper = await cast.gateway(await agents.people.newSubuser(bob));
    await cast.befriend(ada, bob);
    await cast.share(ada, bob, helper);
    await expectDenied(desk, gateway);
    await cast.accept(bob, helper);
    await expectDenied(gateway, desk);
    await expectDelivered(desk, gateway);
    await expectDelivered(gateway, desk);
    await expectDenied(gateway, phone);
    await expectDenied(desk, inner);
    await expectDenied(inner, desk);
    await expectDenied(bobsHelper, gateway);
    await expectDenied(gateway, bobsHelper);
    await cast.unshare(ada, bob, helper);
    await Promise.all([expectDenied(desk, gateway), expectDenied(gateway, desk)]);
    await cast.share(ada, bob, helper);
    await expectDenied(desk, gateway);
    await cast.accept(bob, helper);
    await expectDelivered(desk, gateway);
    await cast.graph.removeFriend({ requestId: createId(), nametag: ada.nametag }, bob.as);
    await Promise.all([expectDenied(desk, gateway), expectDenied(gateway, desk)]);
  });

  it('not one call that starts after the revoke was answered gets through', async () => {
    const [ada, bob] = await Promise.all([agents.people.newPerson(), agents.people.newPerson()]);
    const helper = await agents.people.newSubuser(ada);
    const [gateway, desk] = [await cast.gateway(helper), await cast.foreground(bob)];
    await cast.befriend(ada, bob);
    for (let round = 0; round < 5; round += 1) {
      await cast.share(ada, bob, helper);
      await cast.accept(bob, helper);
      let isRevoked = false;
      const sender = async (): Promise<void> => {
        for (let left = 3; left > 0;) {
          const startedAfter = isRevoked;
          const answer = await wireAnswer(send(desk, gateway.id));
          if (startedAfter) expect(answer).toEqual(unknownAgent);
          if (startedAfter) left -= 1;
        }
      };
      const senders = Array.from({ length: 4 }, sender);
      await send(desk, gateway.id);
      await cast.unshare(ada, bob, helper);
      isRevoked = true;
      await Promise.all(senders);
    }
  });

  it('a retry of what was accepted before the revoke is no new message', async () => {
    const [ada, bob] = await Promise.all([agents.people.newPerson(), agents.people.newPerson()]);
    const helper = await agents.people.newSubuser(ada);
    const [gateway, desk] = [await cast.gateway(helper), await cast.foreground(bob)];
    await cast.befriend(ada, bob);
    await cast.share(ada, bob, helper);
    await cast.accept(bob, helper);
    const first = await send(desk, gateway.id, 'kept', 'same');
    await cast.unshare(ada, bob, helper);
    expect(await send(desk, gateway.id, 'kept', 'same')).toEqual(first);
    expect(await wireAnswer(send(desk, gateway.id, 'another', 'same'))).toEqual(unknownAgent);
  });
});

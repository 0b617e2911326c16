import { afterAll, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import type { AppError } from '@daycare/api';
import { eventually, type ModelServer } from '@daycare/testing';
import { envOfModel, startHangingModel } from '../support/people/hanging-model';
import { post } from '../support/people/history';
import type { Person } from '../support/people/people';
import { agentServices } from '../support/stack/stack';
import { useStack } from '../support/stack/use-stack';

const limit = 20;

let model: ModelServer;
const stack = useStack(async () => {
  model = await startHangingModel();
  return {
    services: agentServices,
    env: { ...envOfModel(model), DAYCARE_MESSAGES_WAITING: `${limit}` },
    timeoutMs: 20_000,
  };
});
const { people, runtime, graph } = stack;
afterAll(() => model.close());

const send = (from: Person, nametag: string, message = 'Hello'): Promise<string> =>
  graph.sendFriendMessage({ requestId: createId(), nametag, message }, from.as).then(
    () => 'OK',
    (error: unknown) => (error as AppError).code,
  );
const sendMany = async (from: Person, nametags: readonly string[], count: number) => {
  const codes: string[] = [];
  for (let sent = 0; sent < count; sent += 1)
    codes.push(await send(from, nametags[sent % nametags.length]!));
  return codes;
};
const countAccepted = (codes: readonly string[]): number =>
  codes.filter((code) => code === 'OK').length;
const inbox = () => stack.db('agent-runtime').collection('inbox');
const countWaiting = (from: Person): Promise<number> =>
  inbox().countDocuments({ 'tie.from': from.id });
const untilWaiting = (from: Person, count: number): Promise<unknown> =>
  eventually(async () => (await countWaiting(from)) === count, { timeoutMs: 20_000 });

it('while a model call hangs, no more messages wait than the limit allows, even if services are killed', async () => {
  const [ada, bob] = await people.newFriends();
  const { agentId } = await runtime.postMessage(post('hang'), bob.as);
  await eventually(async () => model.requests.length > 0);
  expect(countAccepted(await sendMany(ada, [bob.nametag], 12))).toBe(12);
  await untilWaiting(ada, 12);
  for (const service of ['social-graph', 'agent-runtime'] as const) {
    await stack.service(service).kill();
    await stack.service(service).restart();
  }
  await eventually(async () => (await send(ada, bob.nametag)) === 'OK', { timeoutMs: 30_000 });
  const codes = await sendMany(ada, [bob.nametag], 30);
  expect(codes.slice(-10)).toEqual(Array.from({ length: 10 }, () => 'QUOTA_EXCEEDED'));
  await untilWaiting(ada, limit);
  await expect(
    graph.sendFriendMessage(
      { requestId: createId(), nametag: bob.nametag, message: 'Hello' },
      ada.as,
    ),
  ).rejects.toMatchObject({
    code: 'QUOTA_EXCEEDED',
    message: expect.stringMatching(/^20 messages to this recipient are still waiting/),
  });
  expect(await send(bob, ada.nametag)).toBe('OK');
  await runtime.stopTurn(
    { requestId: createId(), agentId, steeringText: '', replyTarget: '' },
    bob.as,
  );
  await untilWaiting(ada, 0);
  await eventually(async () => (await send(ada, bob.nametag)) === 'OK');
}, 90_000);

it('the mailbox of a user without agents fills up to the limit and empties after the user gets an agent', async () => {
  const [ada, bob] = await people.newFriends();
  expect(countAccepted(await sendMany(ada, [bob.nametag], 30))).toBe(limit);
  await runtime.postMessage(post('hello'), bob.as);
  await untilWaiting(ada, 0);
  await eventually(async () => countAccepted(await sendMany(ada, [bob.nametag], 5)) === 5);
}, 60_000);

it('messages to a user and to the user’s subusers count towards the same limit', async () => {
  const [ada, bob] = await people.newFriends();
  const helpers = [await people.newSubuser(bob), await people.newSubuser(bob)];
  for (const helper of helpers) {
    await people.share(bob, ada, helper);
    await people.acceptShare(ada, helper);
    const gateway = await stack.agents.gateway(helper);
    expect(gateway.userId).toBe(helper.id);
  }
  const nametags = [bob, ...helpers].map(({ nametag }) => nametag);
  const codes: string[] = [];
  for (let sent = 0; sent < 30; sent += 1)
    codes.push(await send(ada, nametags[sent % 3]!, 'hang there'));
  expect(countAccepted(codes)).toBe(limit);
  await untilWaiting(ada, limit);
}, 60_000);

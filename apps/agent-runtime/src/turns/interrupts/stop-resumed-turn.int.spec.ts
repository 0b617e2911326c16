import { expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { eventually } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { makeResetAgent } from '../../messaging/usecases/control/reset-agent';
import { makeStopTurn } from '../../messaging/usecases/control/stop-turn';
import { localProvider } from '../../models/providers/local-provider';
import { hangingProvider } from '../../test-support/hanging-provider';
import { personMessage, startTestRuntime, TestLease } from '../../test-support/test-runtime';

/** Polls so rarely that no poll happens during a test. */
const runtime = useFixture(() => startTestRuntime({ pollMs: 600_000 }));

it('a stop accepted after the turn’s replica died ends the turn on the next replica, without a hint, a poll or a model request', async () => {
  const first = hangingProvider();
  const lease = new TestLease(1);
  await runtime.replica('crashed', first.provider).serve(lease);
  const agent = await runtime.newAgent();
  await runtime.say(agent, 'hang');
  await eventually(async () => (await runtime.history.findHead(agent.id))?.state.current);
  lease.end();
  const call = { requestId: createId(), steeringText: '', replyTarget: '' };
  const deps = { ...runtime, interruptAgent: () => undefined, now: () => new Date() };
  await makeStopTurn(deps)({ userId: agent.userId, agentId: agent.id, ...call });
  const second = hangingProvider();
  const [next, nextLease] = [runtime.replica('next', second.provider), new TestLease(2)];
  await next.serve(nextLease);
  await eventually(async () => (await runtime.inbox.countByAgent([agent])).size === 0);
  const records = await runtime.history.listRecords(agent, { after: 0, limit: 10 });
  expect(records.at(-1)).toMatchObject({ kind: 'note', text: 'Stopped.' });
  expect(second.receivedTexts).toEqual([]);
  await next.stopServing(nextLease);
});

it('a hundred messages sent before a person’s reset are still answered when one replica dies and another continues', async () => {
  const agent = await runtime.newAgent();
  const hundred = Array.from({ length: 100 }, (_, index) => personMessage(agent, `hang ${index}`));
  await runtime.putItems(hundred.map((item) => ({ agent, item })));
  const deps = { ...runtime, interruptAgent: () => undefined, now: () => new Date() };
  const call = { requestId: createId(), message: '', isByAgent: false };
  await makeResetAgent(deps)({ userId: agent.userId, agentId: agent.id, ...call });
  const lease = new TestLease(3);
  await runtime.replica('dies', hangingProvider().provider).serve(lease);
  await eventually(async () => (await runtime.history.findHead(agent.id))?.state.current);
  lease.end();
  await runtime.replica('continues', localProvider).serve(new TestLease(4));
  await eventually(async () => (await runtime.inbox.countByAgent([agent])).size === 0);
  const records = await runtime.history.listRecords(agent, { after: 0, limit: 20 });
  const kinds = records.map(({ kind }) => kind);
  const turn = ['user_message', 'assistant_message'];
  expect(kinds).toEqual(['start', ...turn, ...turn, 'reset']);
});

it('a replica that keeps a shard because its turns did not end in time handles the items that arrived in the meantime, without a poll', async () => {
  const { provider, receivedTexts } = hangingProvider();
  const [replica, lease] = [runtime.replica('keeps', provider), new TestLease(5)];
  await replica.serve(lease);
  const [busy, other] = [await runtime.newAgent(), await runtime.newAgent()];
  await runtime.say(busy, 'hang');
  await eventually(() => receivedTexts.length === 1);
  const isStopped = replica.tryStopServing(lease);
  await runtime.say(other, 'hello');
  expect(await isStopped).toBe(false);
  await eventually(async () => (await runtime.inbox.countByAgent([other])).size === 0);
  await replica.stopServing(lease);
});

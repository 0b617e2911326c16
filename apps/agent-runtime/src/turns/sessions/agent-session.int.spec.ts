import { expect, it } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import type { Agent } from '../../agents/domain/agent';
import { beginWork } from '../domain/begin-work';
import { newAgentInFeed } from '../../test-support/connectors/test-connector';
import { startTestRuntime, TestLease, personMessage } from '../../test-support/test-runtime';
import { AgentSession } from './agent-session';
import { LeaseLostError } from './entry-writer';

const runtime = useFixture(startTestRuntime);

const open = (agent: Agent, lease: TestLease): Promise<AgentSession> =>
  AgentSession.open({ ...runtime, holder: `r${lease.fence}`, now: () => new Date() }, agent, lease);

async function startWork(fence: number): Promise<{ agent: Agent; session: AgentSession }> {
  const agent = await runtime.newAgent();
  const session = await open(agent, new TestLease(fence));
  const limits = { emergencyContextLimit: 1_000 };
  await session.commit(beginWork(session.state, [personMessage(agent, 'go')], limits, agent));
  return { agent, session };
}

const endedLease = (fence: number): TestLease => {
  const lease = new TestLease(fence);
  lease.end();
  return lease;
};

it.each([
  ['an older', new TestLease(1)],
  ['a newer but expired', endedLease(3)],
])('opening a session with %s lease does not touch another replica’s work', async (_, lease) => {
  const { agent, session } = await startWork(2);
  const before = await runtime.history.findHead(agent.id);
  await expect(open(agent, lease)).rejects.toThrow(LeaseLostError);
  expect(await runtime.history.findHead(agent.id)).toEqual(before);
  expect(session.state.current).toMatchObject({ interruptions: 0 });
});

it('opening a session takes over the work of an older lease’s holder, who can no longer write', async () => {
  const { agent, session } = await startWork(2);
  const { state } = await open(agent, new TestLease(3));
  expect(state.current).toMatchObject({ interruptions: 1 });
  await expect(session.commit({ events: [], current: undefined })).rejects.toThrow(LeaseLostError);
});

it('an agent whose history was last written by a replica that does not know feeds returns to its connector’s feed with the next entry', async () => {
  const agent = await newAgentInFeed(runtime, 'bridge');
  await runtime.mongo.db
    .collection('history')
    .updateOne({ agentId: agent.id }, { $unset: { feed: '', feedOrder: '' } });
  const session = await open(agent, new TestLease(2));
  await session.commit({ events: [{ kind: 'note', text: 'back' }], current: undefined });
  expect(await runtime.history.findHead(agent.id)).toMatchObject({ number: 2, feed: 'bridge' });
});

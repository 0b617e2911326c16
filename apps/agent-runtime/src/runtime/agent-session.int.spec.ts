import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Agent } from '../domain/agent';
import { begin } from '../domain/turn-steps';
import { startTestRuntime, TestLease, words, type TestRuntime } from '../test-support/test-runtime';
import { AgentSession, LeaseLostError } from './agent-session';

let runtime: TestRuntime;

beforeAll(async () => {
  runtime = await startTestRuntime();
});
afterAll(() => runtime.close());

const open = (agent: Agent, lease: TestLease): Promise<AgentSession> =>
  AgentSession.open({ ...runtime, holder: `r${lease.fence}`, now: () => new Date() }, agent, lease);

async function atWork(fence: number): Promise<{ agent: Agent; session: AgentSession }> {
  const agent = await runtime.newAgent();
  const session = await open(agent, new TestLease(fence));
  const limits = { emergencyContextLimit: 1_000 };
  await session.commit(begin(session.state, [words(agent, 'go')], limits, agent));
  return { agent, session };
}

const endedLease = (fence: number): TestLease => {
  const lease = new TestLease(fence);
  lease.end();
  return lease;
};

it.each([
  ['an older lease', new TestLease(1)],
  ['a newer lease that has run out', endedLease(3)],
])('leaves alone what another has in hand, when it has %s', async (_, lease) => {
  const { agent, session } = await atWork(2);
  const before = await runtime.history.findHead(agent.id);
  await expect(open(agent, lease)).rejects.toThrow(LeaseLostError);
  expect(await runtime.history.findHead(agent.id)).toEqual(before);
  expect(session.state.current).toMatchObject({ interruptions: 0 });
});

it('takes over what an older lease has in hand, which then cannot write any more', async () => {
  const { agent, session } = await atWork(2);
  const { state } = await open(agent, new TestLease(3));
  expect(state.current).toMatchObject({ interruptions: 1 });
  await expect(session.commit({ events: [], current: undefined })).rejects.toThrow(LeaseLostError);
});

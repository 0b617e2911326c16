import { expect, it } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import { TestLease, startTestRuntime } from '../../test-support/test-runtime';
import { AgentSessions } from './agent-sessions';

const now = (): Date => new Date();
const runtime = useFixture(startTestRuntime);

const newSessions = (): AgentSessions => new AgentSessions({ ...runtime, holder: 'r1', now });

it('returns the same session for the same lease and a new session for a new lease', async () => {
  const sessions = newSessions();
  const { id } = await runtime.newAgent();
  const lease = new TestLease(1);
  const first = await sessions.open(id, lease);
  expect(await sessions.open(id, lease)).toBe(first);
  expect(await sessions.open(id, new TestLease(2))).not.toBe(first);
});

it('opens a new session after the previous one was discarded', async () => {
  const sessions = newSessions();
  const { id } = await runtime.newAgent();
  const lease = new TestLease(1);
  const first = await sessions.open(id, lease);
  sessions.discard(id);
  expect(await sessions.open(id, lease)).not.toBe(first);
});

it('keeps a session while its context fits into the cache, and drops it once the context has outgrown the cache', async () => {
  const sessions = newSessions();
  const { id } = await runtime.newAgent();
  const lease = new TestLease(1);
  const session = (await sessions.open(id, lease))!;
  sessions.remeasure(session);
  expect(await sessions.open(id, lease)).toBe(session);
  Object.defineProperty(session, 'state', { value: { contextTokens: 20_000_001 } });
  sessions.remeasure(session);
  expect(await sessions.open(id, lease)).not.toBe(session);
});

it('opens no session for a dead or unknown agent, but still finds the payer of a dead one', async () => {
  const sessions = newSessions();
  const agent = await runtime.newAgent();
  await runtime.agents.kill(agent, now());
  expect(await sessions.open(agent.id, new TestLease(1))).toBeUndefined();
  expect(await sessions.open('unknown', new TestLease(1))).toBeUndefined();
  expect(await sessions.findPayer('unknown')).toBeUndefined();
  expect(await sessions.findPayer(agent.id)).toBe(agent.userId);
});

import { expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { startTestRuntime } from '../../test-support/test-runtime';
import { AgentStore } from './agent-store';

const runtime = useFixture(startTestRuntime);

it('the stored time of an agent’s last activity is at most a second too early, even if several replicas store it', async () => {
  const [quiet, busy] = [await runtime.newAgent(), await runtime.newAgent()];
  const ids = [quiet.id, busy.id];
  const startMs = quiet.lastActiveAt.getTime();
  const at = (ms: number): Date => new Date(startMs + 60_000 + ms);
  const storedTimes = async () =>
    (await Promise.all(ids.map((id) => runtime.agents.find(id)))).map(
      (agent) => agent?.lastActiveAt,
    );
  const [one, other] = [new AgentStore(runtime.mongo.db), new AgentStore(runtime.mongo.db)];
  await one.touch(ids, at(0));
  await other.touch(ids, at(900));
  expect(await storedTimes()).toEqual([at(0), at(0)]);
  await other.touch([quiet.id], at(1_000));
  await other.touch([busy.id], at(1_001));
  await eventually(async () => (await storedTimes())[1]?.getTime() === at(1_001).getTime());
  expect(await storedTimes()).toEqual([at(0), at(1_001)]);
  await other.touch([quiet.id], at(1_002), true);
  expect(await storedTimes()).toEqual([at(1_002), at(1_001)]);
});

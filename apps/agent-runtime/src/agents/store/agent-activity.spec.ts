import { beforeEach, expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import { AgentActivity } from './agent-activity';

let writes: { at: Record<string, number>; byPerson: boolean }[];
let activity: AgentActivity;
beforeEach(() => {
  writes = [];
  activity = new AgentActivity(async (activeAt, byPerson) => {
    const at = Object.fromEntries([...activeAt].map(([id, time]) => [id, time.getTime()]));
    writes.push({ at, byPerson });
  });
});

const record = (agentId: string, atMs: number, byPerson = false): Promise<void> =>
  activity.record({ agentId, at: new Date(atMs), byPerson });

it('agents active at the same time share one write for people’s messages and one for everything else, with a time for each agent', async () => {
  await Promise.all([record('a', 1_000), record('b', 1_005), record('c', 1_010, true)]);
  expect(writes).toEqual([
    { at: { c: 1_010 }, byPerson: true },
    { at: { a: 1_000, b: 1_005 }, byPerson: false },
  ]);
});

it('further activity within a second is written once, with its latest time, when the second is over', async () => {
  await record('a', 1_000);
  await record('a', 1_200);
  await record('a', 1_400);
  expect(writes).toHaveLength(1);
  await eventually(() => writes.length === 2);
  expect(writes[1]).toEqual({ at: { a: 1_400 }, byPerson: false });
  await record('a', 2_400);
  expect(writes).toHaveLength(3);
});

it('activity by a person is written each time, before the call returns, even several times a second', async () => {
  for (const atMs of [1_000, 1_100, 1_200]) await record('a', atMs, true);
  expect(writes.map(({ at }) => at['a'])).toEqual([1_000, 1_100, 1_200]);
  await record('a', 1_300);
  expect(writes).toHaveLength(3);
});

it('after a failed write, the agent’s next activity is written immediately', async () => {
  const failing = new AgentActivity(async () => {
    if (writes.push({ at: {}, byPerson: false }) === 1) throw new Error('no database');
  });
  const ofAgent = { agentId: 'a', byPerson: false };
  await expect(failing.record({ ...ofAgent, at: new Date(1_000) })).rejects.toThrow('no database');
  await failing.record({ ...ofAgent, at: new Date(1_001) });
  expect(writes).toHaveLength(2);
});

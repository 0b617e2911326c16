import { expect, it } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import { startTestRuntime } from '../../test-support/test-runtime';
import { firstEntry, nextEntry } from '../domain/history-entry';
import { lastSequencesOf } from './history-store';

const runtime = useFixture(startTestRuntime);

it('finds the newest sequence of an agent, or 0, from the index alone', async () => {
  const { history, mongo } = runtime;
  const agent = await runtime.newAgent();
  const at = new Date();
  const head = (await history.findHead(agent.id)) ?? firstEntry(agent, at);
  const step = { events: [{ kind: 'note', text: 'one' } as const], current: undefined };
  const next = nextEntry(head, step, { holder: 'r1', fence: 1 }, at);
  await history.append(next);
  // The same sequence again: an entry without records.
  await history.append(
    nextEntry(next, { events: [], current: undefined }, { holder: 'r2', fence: 2 }, at),
  );
  const ids = [agent.id, 'unknown'];
  expect(await Promise.all(ids.map((id) => history.findLastSequence(id)))).toEqual([2, 0]);
  const plan = await mongo.db
    .collection('history')
    .aggregate(lastSequencesOf(ids), { hint: 'agent_sequence' })
    .explain('executionStats');
  const stats = JSON.stringify(plan);
  expect(stats).toContain('DISTINCT_SCAN');
  expect(stats).not.toContain('FETCH');
});

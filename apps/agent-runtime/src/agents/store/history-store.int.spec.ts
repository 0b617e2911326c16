import { expect, it } from '@jest/globals';
import { profileQueries } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { startTestRuntime } from '../../test-support/test-runtime';
import { firstEntry, nextEntry, type HistoryHead } from '../domain/history-entry';
import { lastSequencesOf } from './history-store';

const runtime = useFixture(startTestRuntime);
const at = new Date();

/** Adds an entry with a note, or one that only changes the writer. */
async function append(head: HistoryHead, note?: string): Promise<HistoryHead> {
  const events = note === undefined ? [] : [{ kind: 'note', text: note } as const];
  const writer = { holder: 'replica', fence: head.fence + 1 };
  const entry = nextEntry(head, { events, current: undefined }, writer, at);
  await runtime.history.append(entry);
  return entry;
}

it('finds the newest sequence of an agent, or 0, from the index alone', async () => {
  const { history, mongo } = runtime;
  const agent = await runtime.newAgent();
  const head = (await history.findHead(agent.id)) ?? firstEntry(agent, at);
  // The second entry has no note, so its sequence is that of the first.
  await append(await append(head, 'one'));
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

it('reads a context in one query, without the entries of takeovers and without the state of the agent', async () => {
  const { history, mongo } = runtime;
  const agent = await runtime.newAgent();
  const notes = Array.from({ length: 120 }, (_, index) => `note ${index}`);
  let head = (await history.findHead(agent.id)) ?? firstEntry(agent, at);
  for (const note of notes) head = await append(head, note);
  for (let takeover = 0; takeover < 20; takeover += 1) head = await append(head);
  await append(head, 'last');
  const texts: string[] = [];
  const queries = await profileQueries(mongo.db, /\.history$/, async () => {
    for (const record of await history.readFrom(agent, 2))
      if (record.kind === 'note') texts.push(record.text);
  });
  expect(texts).toEqual([...notes, 'last']);
  expect(queries).toMatchObject([{ nreturned: notes.length + 1 }]);
  expect(queries[0]?.['command'].projection).toEqual({
    _id: 0,
    at: 1,
    events: 1,
    'state.lastSequence': 1,
  });
});

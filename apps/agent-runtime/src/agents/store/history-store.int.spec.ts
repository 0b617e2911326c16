import { expect, it } from '@jest/globals';
import { profileQueries } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { startTestRuntime } from '../../test-support/test-runtime';
import { firstEntry, nextEntry, type HistoryHead } from '../domain/history-entry';
import type { HistoryEvent } from '../domain/context/history-record';
import { makeListHistory } from '../usecases/list-history';
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

it('the history store finds an agent’s newest sequence number, or 0 for an unknown agent, from the index alone', async () => {
  const { history, mongo } = runtime;
  const agent = await runtime.newAgent();
  const head = (await history.findHead(agent.id)) ?? firstEntry(agent, at);
  // The second entry added here has no note, so its last sequence number is the same as the first one's.
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

it('the history store reads a context in one query, without the agent’s state and the entries that only record a takeover', async () => {
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

it.each([false, true])(
  'the pages of ListHistory contain every record, even if messages with many ids end a page early (newest first: %p)',
  async (newestFirst) => {
    const { agents, history } = runtime;
    const agent = await runtime.newAgent();
    const messageIds = Array.from({ length: 64 }, (_, index) => `m${index}`);
    const texts = { text: 'Hi', origin: '', silent: false };
    const message: HistoryEvent = { kind: 'user_message', files: [], messageIds, ...texts };
    const step = { events: [message, message, message, message, message], current: undefined };
    let head = (await history.findHead(agent.id)) ?? firstEntry(agent, at);
    for (let entries = 0; entries < 120; entries += 1) {
      const entry = nextEntry(head, step, { holder: 'replica', fence: 1 }, at);
      await history.append(entry);
      head = entry;
    }
    const list = makeListHistory({ agents, history });
    const call = { userId: agent.userId, agentId: agent.id, afterSequence: 0, pageSize: 1_000 };
    const pages: number[][] = [];
    let pageToken = '';
    do {
      const page = await list({ ...call, newestFirst, pageToken });
      pages.push(page.records.map(({ sequence }) => sequence));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    const all = Array.from({ length: head.state.lastSequence }, (_, index) => index + 1);
    expect(pages.flat()).toEqual(newestFirst ? all.toReversed() : all);
    expect(pages).toHaveLength(2);
  },
);

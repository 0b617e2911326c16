import os from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, startMongoProxy, type WireProxy } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { MongoClient } from 'mongodb';
import type { Agent } from '../../agents/domain/agent';
import type { AgentStep } from '../../agents/domain/agent-state';
import { nextEntry, type HistoryEntry } from '../../agents/domain/history-entry';
import { HistoryStore } from '../../agents/store/history-store';
import type { PendingEntry } from '../../agents/store/group-entries';
import { startTestRuntime, TestLease } from '../../test-support/test-runtime';
import { AgentSession, type SessionDeps } from './agent-session';
import { LeaseLostError } from './entry-writer';

const runtime = useFixture(startTestRuntime);
const now = (): Date => new Date();

const note = (text: string): AgentStep => ({
  events: [{ kind: 'note', text }],
  current: undefined,
});
const settlingNote = (text: string): AgentStep => ({
  ...note(text),
  settled: { messageIds: ['m1'], dead: undefined },
});

/** Opens a session; `stored` are the entries that it has reported as stored. */
const openSession = async (agent: Agent, lease = new TestLease(1), deps = {}) => {
  const stored: HistoryEntry[] = [];
  const onStored = (entry: HistoryEntry): void => void stored.push(entry);
  const { history } = runtime;
  const sessionDeps: SessionDeps = { history, holder: 'r1', now, onStored, ...deps };
  return { session: await AgentSession.open(sessionDeps, agent, lease), stored };
};
const entriesOf = ({ id }: Agent): Promise<HistoryEntry[]> =>
  runtime.mongo.db
    .collection<HistoryEntry>('history')
    .find({ agentId: id, number: { $gt: 1 } })
    .sort({ number: 1 })
    .toArray();
const textsOf = ({ events }: HistoryEntry): string[] =>
  events.map((event) => ('text' in event ? event.text : event.kind));

describe('steps of a session', () => {
  it('consecutive steps of a session become one entry if the first step has not been sent yet', async () => {
    const agent = await runtime.newAgent();
    const { session, stored } = await openSession(agent);
    session.advance(note('begun'));
    session.advance(note('answered'));
    expect(session.isStored).toBe(false);
    await session.stored();
    const entries = await entriesOf(agent);
    expect(entries.map(textsOf)).toEqual([['begun', 'answered']]);
    expect(entries).toMatchObject([{ number: 2, state: { lastSequence: 3 } }]);
    expect(stored.map(textsOf)).toEqual([['begun', 'answered']]);
  });

  it('steps taken while a session’s entry is being written become the next entry, which is written afterwards', async () => {
    const agent = await runtime.newAgent();
    let arrive: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    let underWay = 0;
    let maxUnderWay = 0;
    const appendPending = async ({ take }: PendingEntry): Promise<boolean> => {
      const entry = take();
      maxUnderWay = Math.max(maxUnderWay, ++underWay);
      await arrived;
      const isStored = await runtime.history.append(entry);
      underWay -= 1;
      return isStored;
    };
    const history = Object.assign(new HistoryStore(runtime.mongo.db), { appendPending });
    const { session } = await openSession(agent, new TestLease(1), { history });
    session.advance(note('begun'));
    await eventually(() => underWay === 1);
    session.advance(note('answered'));
    session.advance(note('more'));
    arrive();
    await session.stored();
    expect((await entriesOf(agent)).map(textsOf)).toEqual([['begun'], ['answered', 'more']]);
    expect(maxUnderWay).toBe(1);
  });

  it('after a step that settles items, a session refuses another step before that step is stored', async () => {
    const agent = await runtime.newAgent();
    const { session } = await openSession(agent);
    session.advance(settlingNote('done'));
    expect(() => session.advance(note('next'))).toThrow('must be stored before the next step');
    await session.stored();
  });
});

describe('a replica that loses a lease while it has entries to store', () => {
  it('entries of an agent that another replica has taken over are refused, while those of other agents in the batch are stored', async () => {
    const [lost, kept] = await Promise.all([runtime.newAgent(), runtime.newAgent()]);
    const old = await openSession(lost);
    const other = await openSession(kept);
    const head = (await runtime.history.findHead(lost.id))!;
    await runtime.history.append(
      nextEntry(head, note('the new holder'), { holder: 'r2', fence: 2 }, now()),
    );
    old.session.advance(note('begun'));
    old.session.advance(note('answered'));
    other.session.advance(note('mine'));
    await expect(old.session.stored()).rejects.toThrow(LeaseLostError);
    await other.session.stored();
    expect((await entriesOf(lost)).map(textsOf)).toEqual([['the new holder']]);
    expect((await entriesOf(kept)).map(textsOf)).toEqual([['mine']]);
    expect(old.stored).toEqual([]);
    expect(old.session.failed.aborted).toBe(true);
    expect(() => old.session.advance(note('late'))).toThrow(LeaseLostError);
  });

  it('a replica that has lost its lease sends none of its waiting entries', async () => {
    const agent = await runtime.newAgent();
    const lease = new TestLease(1);
    const { session } = await openSession(agent, lease);
    session.advance(note('begun'));
    lease.end();
    await expect(session.stored()).rejects.toThrow('the lease has expired');
    expect(await entriesOf(agent)).toEqual([]);
  });
});

describe('a connection that breaks in the middle of a batch of entries', () => {
  let proxy: WireProxy;
  let proxied: MongoClient;
  beforeEach(async () => {
    proxy = await startMongoProxy();
    // No retries, so that one broken connection is enough. The adapter is needed because Jest has no import().
    const options = { retryWrites: false, runtimeAdapters: { os } };
    proxied = await MongoClient.connect(proxy.url, options);
  });
  afterEach(async () => {
    await proxied.close();
    await proxy.close();
  });

  it.each([
    ['before', []],
    ['after', [['begun']]],
  ] as const)(
    'when the connection breaks %s the server stores a batch, all its sessions fail, and new ones read the stored state',
    async (when, expected) => {
      const history = new HistoryStore(proxied.db(runtime.mongo.db.databaseName));
      const agents = await Promise.all([runtime.newAgent(), runtime.newAgent()]);
      const opened = await Promise.all(
        agents.map((agent) => openSession(agent, new TestLease(1), { history })),
      );
      proxy.trap({ label: 'insert history', when }, () => undefined);
      for (const { session } of opened) session.advance(note('begun'));
      for (const { session, stored } of opened) {
        await expect(session.stored()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
        expect(stored).toEqual([]);
        expect(() => session.advance(note('answered'))).toThrow();
      }
      for (const agent of agents) {
        expect((await entriesOf(agent)).map(textsOf)).toEqual(expected);
        const { session } = await openSession(agent, new TestLease(1), { history });
        await session.commit(note('again'));
        expect((await entriesOf(agent)).map(textsOf)).toEqual([...expected, ['again']]);
      }
    },
  );
});

describe('entries in one batch', () => {
  it('two entries of one agent that are appended at the same time are inserted by separate commands', async () => {
    const agent = await runtime.newAgent();
    const head = (await runtime.history.findHead(agent.id))!;
    const writer = { holder: 'r1', fence: 1 };
    const second = nextEntry(head, note('two'), writer, now());
    const third = nextEntry(second, note('three'), writer, now());
    const commands: string[][] = [];
    const { db } = runtime.mongo;
    const history = new HistoryStore(
      new Proxy(db, {
        get: (target, name) =>
          name === 'collection'
            ? () => watchInserts(target.collection('history'), commands)
            : (Reflect.get(target, name) as unknown),
      }),
    );
    await Promise.all([history.append(second), history.append(third)]);
    expect(commands).toEqual([[agent.id], [agent.id]]);
  });
});

interface WithInsertMany {
  insertMany(documents: { agentId: string }[], options: object): Promise<unknown>;
}

/** Records the agents of each insert command. */
function watchInserts<T extends object>(collection: T, commands: string[][]): T {
  return new Proxy(collection, {
    get(target, name) {
      if (name !== 'insertMany') return Reflect.get(target, name) as unknown;
      return (documents: { agentId: string }[], options: object) => {
        commands.push(documents.map(({ agentId }) => agentId));
        return (target as unknown as WithInsertMany).insertMany(documents, options);
      };
    },
  });
}

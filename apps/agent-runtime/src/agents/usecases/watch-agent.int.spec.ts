import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import type { Agent } from '../domain/agent';
import { nextEntry, recordsOf, type HistoryEntry } from '../domain/history-entry';
import { startTestRuntime } from '../../test-support/test-runtime';
import { makeWatchAgent, type WatchDeps } from './watch-agent';

const runtime = useFixture(startTestRuntime);

type Listener = Parameters<WatchDeps['listen']>[1];

let stopping: AbortController;
let reads: number;
let subscriptions: number;
let listeners: Map<string, Set<Listener>>;
let interrupts: Set<(agentIds: readonly string[]) => void>;
let isConnected: boolean;
beforeEach(() => {
  stopping = new AbortController();
  [reads, subscriptions, listeners] = [0, 0, new Map()];
  [interrupts, isConnected] = [new Set(), false];
});
afterEach(() => stopping.abort());

/** Creates a watch function that receives hints only from the test, and counts how often records are read. */
function makeWatch(pollMs: number, onPoll: () => void = () => undefined) {
  const { agents, history } = runtime;
  return makeWatchAgent({
    agents,
    history: {
      findHeads: (ids) => {
        onPoll();
        return history.findHeads(ids);
      },
      readPage: (owner, range) => (reads++, history.readPage(owner, range)),
    },
    listen(agentId, listener) {
      subscriptions += 1;
      const all = listeners.get(agentId) ?? new Set();
      listeners.set(agentId, all.add(listener));
      return () => {
        subscriptions -= 1;
        all.delete(listener);
      };
    },
    onInterrupt: (listener) => {
      interrupts.add(listener);
      return () => void interrupts.delete(listener);
    },
    isConnected: () => isConnected,
    pollMs,
    stopping: stopping.signal,
  });
}

type Watch = ReturnType<typeof makeWatch>;

const recheck = async (): Promise<void> => undefined;

/** Collects what a watcher receives. */
function follow(watch: Watch, { id, userId }: Agent, afterSequence = 0) {
  const records: number[] = [];
  const texts: string[] = [];
  const { signal } = stopping;
  const call = { userId, agentId: id, afterSequence, signal, recheck };
  const ended = (async () => {
    for await (const event of watch(call)) {
      if (event.kind === 'record') records.push(event.record.sequence);
      else texts.push(event.kind === 'delta' ? event.text : `${event.toolName} ${event.state}`);
    }
  })().catch(() => undefined);
  return { records, texts, ended };
}

/** Stores an entry with this many notes, without sending a hint. */
async function store(agent: Agent, notes = 1): Promise<HistoryEntry> {
  const head = (await runtime.history.findHead(agent.id))!;
  const events = Array.from({ length: notes }, () => ({ kind: 'note', text: 'x' }) as const);
  const step = { events, current: undefined };
  const entry = nextEntry(head, step, { holder: 'r', fence: 1 }, new Date());
  await runtime.history.append(entry);
  return entry;
}
const send = ({ id }: Agent, event: Parameters<Listener>[0]): void =>
  listeners.get(id)?.forEach((listener) => listener(event));
const push = (agent: Agent, entry: HistoryEntry, records = recordsOf(entry)): void =>
  send(agent, { kind: 'advanced', lastSequence: entry.state.lastSequence, records });
const longMs = 60_000;

describe('a watcher that receives every hint', () => {
  it('sends the records that hints carry without reading the history again', async () => {
    const agent = await runtime.newAgent();
    const { records } = follow(makeWatch(longMs), agent);
    await eventually(() => records.length === 1);
    expect(reads).toBe(1);
    push(agent, await store(agent));
    push(agent, await store(agent, 2));
    await eventually(() => records.length === 4);
    expect(records).toEqual([1, 2, 3, 4]);
    expect(reads).toBe(1);
  });

  it('sends a record once even if its hint arrives several times', async () => {
    const agent = await runtime.newAgent();
    const { records } = follow(makeWatch(longMs), agent);
    await eventually(() => records.length === 1);
    const entry = await store(agent, 2);
    push(agent, entry);
    push(agent, entry);
    push(agent, await store(agent));
    await eventually(() => records.length === 4);
    push(agent, entry);
    push(agent, await store(agent));
    await eventually(() => records.length === 5);
    expect(records).toEqual([1, 2, 3, 4, 5]);
  });

  it('shares one subscription and one read with all watchers of the agent', async () => {
    const agent = await runtime.newAgent();
    const watch = makeWatch(longMs);
    const watchers = Array.from({ length: 20 }, () => follow(watch, agent));
    await eventually(() => watchers.every(({ records }) => records.length === 1));
    expect(subscriptions).toBe(1);
    const before = reads;
    push(agent, await store(agent), []);
    await eventually(() => watchers.every(({ records }) => records.length === 2));
    expect(reads - before).toBe(1);
    stopping.abort();
    await Promise.all(watchers.map(({ ended }) => ended));
    expect(subscriptions).toBe(0);
  });
});

describe('a watcher that misses hints', () => {
  it('reads missing records before it sends pushed ones', async () => {
    const agent = await runtime.newAgent();
    const { records } = follow(makeWatch(longMs), agent);
    await eventually(() => records.length === 1);
    await store(agent);
    push(agent, await store(agent));
    await eventually(() => records.length === 3);
    expect(records).toEqual([1, 2, 3]);
    expect(reads).toBe(2);
  });

  it('reads records that did not fit into the hint', async () => {
    const agent = await runtime.newAgent();
    const { records } = follow(makeWatch(longMs), agent);
    await eventually(() => records.length === 1);
    push(agent, await store(agent), []);
    await eventually(() => records.length === 2);
  });

  it('finds records by polling when every hint is lost, and reads the history only when a poll has found new ones', async () => {
    const agent = await runtime.newAgent();
    const { records } = follow(makeWatch(20), agent);
    await eventually(() => records.length === 1);
    await store(agent, 3);
    await eventually(() => records.length === 4);
    expect(reads).toBe(2);
  });

  it('resumes after any sequence number, even one in the middle of an entry', async () => {
    const agent = await runtime.newAgent();
    await store(agent, 3);
    const { records } = follow(makeWatch(longMs), agent, 2);
    await eventually(() => records.length === 2);
    const entry = await store(agent);
    push(agent, entry);
    await eventually(() => records.length === 3);
    expect(records).toEqual([3, 4, 5]);
  });

  it('sends every record even if hints arrive faster than it can send records', async () => {
    const agent = await runtime.newAgent();
    const { records } = follow(makeWatch(longMs), agent);
    await eventually(() => records.length === 1);
    const entries: HistoryEntry[] = [];
    for (let count = 0; count < 50; count += 1) entries.push(await store(agent));
    for (const entry of entries) push(agent, entry);
    await eventually(() => records.length === 51);
    expect(records).toEqual(Array.from({ length: 51 }, (_, index) => index + 1));
  });
});

describe('deltas', () => {
  it('a delta is sent after the record it follows, and an outdated delta is dropped', async () => {
    const agent = await runtime.newAgent();
    const { records, texts } = follow(makeWatch(longMs), agent);
    await eventually(() => records.length === 1);
    const delta = (text: string, afterSequence: number) =>
      send(agent, { kind: 'delta', text, attempt: 1, position: 0, afterSequence });
    delta('one', 1);
    await eventually(() => texts.length === 1);
    await store(agent);
    // The record that this delta follows was not pushed, so it is read before the delta is sent.
    delta('two', 2);
    delta('old', 1);
    await eventually(() => texts.length === 2);
    expect(records).toEqual([1, 2]);
    expect(texts).toEqual(['one', 'two']);
  });
});

it('when an agent dies, a watch of it ends only after sending the agent’s last record', async () => {
  const agent = await runtime.newAgent();
  const { records, ended } = follow(makeWatch(20), agent);
  await eventually(() => records.length === 1);
  await store(agent);
  await runtime.agents.kill(agent, new Date());
  await ended;
  expect(records).toEqual([1, 2]);
});

it('a watch ends immediately when its agent is ended, without waiting for the next poll', async () => {
  isConnected = true;
  const agent = await runtime.newAgent();
  const { records, ended } = follow(makeWatch(longMs), agent);
  await eventually(() => records.length === 1);
  await runtime.agents.kill(agent, new Date());
  for (const listener of interrupts) listener(['another', agent.id]);
  await ended;
  expect(interrupts.size).toBe(0);
});

it('while hints are arriving, only every fifth poll of a watch reads the database', async () => {
  isConnected = true;
  const agent = await runtime.newAgent();
  let heads = 0;
  let checks = 0;
  const watch = makeWatch(5, () => (heads += 1));
  const { signal } = stopping;
  const call = { userId: agent.userId, agentId: agent.id, signal };
  const counted = async (): Promise<void> => void (checks += 1);
  void (async () => {
    for await (const _ of watch({ ...call, afterSequence: 0, recheck: counted }));
  })().catch(() => undefined);
  await eventually(() => heads >= 3);
  // Every poll checks whether the caller still has access.
  expect(checks).toBeGreaterThanOrEqual(10);
});

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, uniqueName } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { recordsOf } from '../../agents/domain/history-entry';
import { windowLimits } from '../domain/feed-window';
import {
  connectorReplica,
  CountingStore,
  delay,
  newAgentInFeed,
  note,
  noteForEach,
  textOf,
  type WatchConnector,
} from '../../test-support/connectors/test-connector';
import { startTestRuntime } from '../../test-support/test-runtime';
import type { ConnectorEvent } from './watch-connector';

const runtime = useFixture(startTestRuntime);

let feed: string;
let testEnd: AbortController;
beforeEach(() => {
  feed = uniqueName('bridge').toLowerCase();
  testEnd = new AbortController();
});
afterEach(() => testEnd.abort());

const recheck = async (): Promise<void> => undefined;

const open = (watch: WatchConnector, position = '', skipStored = false) =>
  watch({ client: feed, position, skipStored, signal: testEnd.signal, recheck });

/** Collects what a stream sends. */
function follow(watch: WatchConnector, position = '', skipStored = false) {
  const events: ConnectorEvent[] = [];
  const ended = (async () => {
    for await (const event of open(watch, position, skipStored)) events.push(event);
  })();
  ended.catch(() => undefined);
  const texts = (): string[] => events.map(textOf);
  const shows = (...expected: readonly string[]) =>
    eventually(() => {
      expect(texts()).toEqual(expected);
      return true;
    });
  const newest = (): string =>
    events.flatMap((event) => (event.kind === 'progress' ? [] : event.position)).at(-1) ?? '';
  return { events, shows, texts, newest, ended };
}

describe('WatchConnector', () => {
  it('a connector’s stream sends records that were stored for several agents at once', async () => {
    const agents = [await newAgentInFeed(runtime, feed), await newAgentInFeed(runtime, feed)];
    await noteForEach(runtime, agents, 'given up');
    const { texts } = follow(connectorReplica(runtime, { pollMs: 20 }));
    await eventually(() => texts().filter((text) => text === 'given up').length === 2);
  });

  it('a connector’s stream sends all stored records of its agents, then new ones, and none from other connectors', async () => {
    const [ada, bob, eve] = await Promise.all([
      newAgentInFeed(runtime, feed),
      newAgentInFeed(runtime, feed),
      newAgentInFeed(runtime, `${feed}-other`),
    ]);
    await note(runtime, ada, 'one', 'two');
    await note(runtime, eve, 'secret');
    const { shows, events } = follow(connectorReplica(runtime, { pollMs: 20 }));
    await shows('start', 'start', 'one', 'two', 'caught up');
    await note(runtime, eve, 'secret');
    await note(runtime, bob, 'three');
    await shows('start', 'start', 'one', 'two', 'caught up', 'three');
    const { agentId, userId, channel } = events.at(-1) as Extract<
      ConnectorEvent,
      { kind: 'record' }
    >;
    expect([agentId, userId]).toEqual([bob.id, bob.userId]);
    expect({ kind: 'user', ...channel }).toEqual(bob.descriptor);
  });

  it('the first event of a connector’s stream that skips stored records contains a position from which clients can resume', async () => {
    const ada = await newAgentInFeed(runtime, feed);
    await note(runtime, ada, 'before');
    const replica = connectorReplica(runtime, { pollMs: 20 });
    const first = follow(replica, '', true);
    await first.shows('caught up');
    await note(runtime, ada, 'after');
    await first.shows('caught up', 'after');
    const second = follow(replica, first.newest());
    await second.shows('caught up');
    const [event] = first.events;
    await follow(replica, event?.kind === 'caught_up' ? event.position : '').shows(
      'after',
      'caught up',
    );
  });

  it('a connector’s stream that skips stored records still sends an entry that becomes visible later at an earlier feed position', async () => {
    const [ada, bob] = await Promise.all([
      newAgentInFeed(runtime, feed),
      newAgentInFeed(runtime, feed),
    ]);
    await note(runtime, ada, 'before');
    const { shows } = follow(connectorReplica(runtime), '', true);
    await shows('caught up');
    const entry = await note(runtime, bob, 'late');
    await delay(runtime, bob, 5);
    runtime.feed.publishRecords({ agentId: bob.id, feed }, recordsOf(entry));
    await shows('caught up', 'late');
  });

  it('a connector’s stream refuses an invalid position', async () => {
    const refused = open(connectorReplica(runtime), 'nonsense').next();
    await expect(refused).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('a connector’s stream sends a record that a hint announces without waiting for the next poll', async () => {
    const ada = await newAgentInFeed(runtime, feed);
    const { shows } = follow(connectorReplica(runtime));
    await shows('start', 'caught up');
    const entry = await note(runtime, ada, 'now');
    runtime.feed.publishRecords({ agentId: ada.id, feed }, recordsOf(entry));
    await shows('start', 'caught up', 'now');
  });

  it('a connector’s stream can resume in the middle of an entry', async () => {
    const ada = await newAgentInFeed(runtime, feed);
    await note(runtime, ada, 'one', 'two', 'three');
    const replica = connectorReplica(runtime);
    const { events, shows } = follow(replica);
    await shows('start', 'one', 'two', 'three', 'caught up');
    const [, one] = events as { position: string }[];
    await follow(replica, one!.position).shows('two', 'three', 'caught up');
  });

  it('a connector’s stream sends an entry that appears late, before or after an interruption, and sends nothing twice', async () => {
    const [ada, bob] = await Promise.all([
      newAgentInFeed(runtime, feed),
      newAgentInFeed(runtime, feed),
    ]);
    const replica = connectorReplica(runtime, { pollMs: 20 });
    const first = follow(replica);
    await first.shows('start', 'start', 'caught up');
    await note(runtime, ada, 'in time');
    await first.shows('start', 'start', 'caught up', 'in time');
    await note(runtime, bob, 'late');
    await delay(runtime, bob, 5);
    await first.shows('start', 'start', 'caught up', 'in time', 'late');
    const interrupted = first.events.at(-2) as { position: string };
    await follow(replica, interrupted.position).shows('late', 'caught up');
    await note(runtime, bob, 'later still');
    await delay(runtime, bob, 5);
    await follow(replica, first.newest()).shows('later still', 'caught up');
  });

  it('a connector’s stream holds back records that would make positions too long, and sends them later', async () => {
    const ada = await newAgentInFeed(runtime, feed);
    for (let count = 0; count < 20; count += 1) await note(runtime, ada, `${count}`);
    const limits = { ...windowLimits, maxAhead: 5, graceMs: 50 };
    const { events } = follow(connectorReplica(runtime, { limits }));
    await eventually(() => events.length === 22);
    expect(events.slice(1, 21).map(textOf)).toEqual(Array.from({ length: 20 }, (_, at) => `${at}`));
    for (const event of events)
      if (event.kind !== 'progress') expect(event.position.split('.').length).toBeLessThan(9);
  });

  it('a connector’s stream reads at most one page ahead of a client that is not reading', async () => {
    const ada = await newAgentInFeed(runtime, feed);
    const long = 'x'.repeat(400_000);
    for (let count = 0; count < 12; count += 1) await note(runtime, ada, long);
    let entriesRead = 0;
    const entries = new CountingStore(runtime.mongo.db, (count) => (entriesRead += count));
    const stream = open(connectorReplica(runtime, { entries }));
    await stream.next();
    expect(entriesRead).toBeLessThanOrEqual(4);
    for (let count = 0; count < 12; count += 1) await stream.next();
    expect(entriesRead).toBe(13);
    await stream.return(undefined);
  });
});

describe("progress of a connector's agents", () => {
  it('progress is sent after the record it follows, and is dropped once it is outdated', async () => {
    const ada = await newAgentInFeed(runtime, feed);
    const replica = connectorReplica(runtime);
    const { shows } = follow(replica);
    await shows('start', 'caught up');
    const live = { agentId: ada.id, feed };
    const tool = { kind: 'tool', toolCallId: 'c', toolName: 'exec', argumentsJson: '{}' } as const;
    runtime.feed.publishAgentEvent(live, { ...tool, state: 'started', afterSequence: 1 });
    await shows('start', 'caught up', 'exec started');
    await note(runtime, ada, 'done');
    const delta = { kind: 'delta', attempt: 1, position: 0 } as const;
    // The record that this progress follows has not been sent yet and comes first.
    runtime.feed.publishAgentEvent(live, { ...delta, text: 'new', afterSequence: 2 });
    const withRecord = ['start', 'caught up', 'exec started', 'done', '… new'];
    await shows(...withRecord);
    runtime.feed.publishAgentEvent(live, { ...delta, text: 'old', afterSequence: 1 });
    const next = { ...delta, position: 3, text: 'next', afterSequence: 2 };
    runtime.feed.publishAgentEvent(live, next);
    await shows(...withRecord, '… next');
  });
});

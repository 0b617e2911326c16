import { beforeEach, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import {
  eventually,
  profileQueries,
  queriesSortedInMemory,
  uniqueName,
  queriesWithoutIndex,
} from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import type { Agent } from '../../agents/domain/agent';
import { firstEntry, recordsOf } from '../../agents/domain/history-entry';
import {
  connectorReplica,
  newAgentInFeed,
  note,
} from '../../test-support/connectors/test-connector';
import { startTestPermissions } from '../../test-support/test-permissions';
import { startTestRuntime } from '../../test-support/test-runtime';
import { windowLimits } from '../domain/feed-window';
import type { ConnectorEvent } from './watch-connector';

const runtime = useFixture(startTestRuntime);

let feed: string;
beforeEach(() => void (feed = uniqueName('bridge').toLowerCase()));

const recheck = async (): Promise<void> => undefined;

interface Pace {
  /** Whether the agents should stop recording. */
  isOver: boolean;
  /** How many entries may be recorded now. */
  credit: number;
}

/** Makes agents record entries until `pace.isOver`; resolves with each agent's last sequence number. */
async function chatter(agents: readonly Agent[], pace: Pace) {
  await Promise.all(
    agents.map(async (agent) => {
      for (let count = 1; !pace.isOver; count += 1) {
        await eventually(() => pace.isOver || pace.credit >= 0, { intervalMs: 1 });
        pace.credit -= 1;
        const entry = await note(runtime, agent, ...Array<string>(1 + (count % 3)).fill('x'));
        // Every other hint is lost.
        if (count % 2) runtime.feed.publishRecords({ agentId: agent.id, feed }, recordsOf(entry));
      }
    }),
  );
  const heads = await runtime.history.findHeads(agents.map(({ id }) => id));
  return new Map(heads.map(({ agentId, state }) => [agentId, state.lastSequence]));
}

it('streams that are interrupted and resumed a thousand times on two replicas neither lose nor repeat any record', async () => {
  const agents = await Promise.all(Array.from({ length: 8 }, () => newAgentInFeed(runtime, feed)));
  // No stream lives long enough for anything to settle by the replica's clock.
  const limits = { ...windowLimits, pastSeconds: 3n };
  const fastPolling = { pollMs: 2, isConnected: () => false };
  const replicas = [1, 2].map(() => connectorReplica(runtime, { ...fastPolling, limits }));
  const pace = { isOver: false, credit: 10 };
  const recorded = chatter(agents, pace);
  const readers = await Promise.all(Array.from({ length: 8 }, () => readInPieces(125)));
  pace.isOver = true;
  const last = await recorded;
  const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);
  for (const reader of readers) {
    await reader.readToEnd();
    for (const { id } of agents) expect(reader.seen.get(id)).toEqual(upTo(last.get(id)!));
  }
  expect([...last.values()].reduce((sum, count) => sum + count)).toBeGreaterThan(500);

  async function readInPieces(interruptions: number) {
    const seen = new Map<string, number[]>();
    let position = '';
    const take = (event: ConnectorEvent): void => {
      if (event.kind === 'progress') return;
      ({ position } = event);
      if (event.kind !== 'record') return;
      const sequences = seen.get(event.agentId) ?? [];
      sequences.push(event.record.sequence);
      seen.set(event.agentId, sequences);
    };
    const open = (replica: number) => {
      const stop = new AbortController();
      const call = { client: feed, position, skipStored: false, signal: stop.signal, recheck };
      return { stop, stream: replicas[replica % 2]!(call) };
    };
    for (let round = 0; round < interruptions; round += 1) {
      const { stop, stream } = open(round);
      for (let count = Math.random() * 8; count > 0; count -= 1) {
        pace.credit += 0.15;
        take((await stream.next()).value as ConnectorEvent);
      }
      stop.abort();
      await stream.return(undefined);
    }
    const readToEnd = async (): Promise<void> => {
      for await (const event of open(0).stream) {
        take(event);
        if (event.kind === 'caught_up') return;
      }
    };
    return { seen, readToEnd };
  }
}, 300_000);

it('polling for ten thousand idle agents takes two queries per poll, both served by indexes alone', async () => {
  const start = () => {
    const agent = { id: createId(), userId: createId(), feed };
    return runtime.history.append(firstEntry(agent, new Date()));
  };
  for (let count = 0; count < 10_000; count += 500)
    await Promise.all(Array.from({ length: 500 }, start));
  // With a grace period, recent items would be read again for as long as a late write might precede them.
  const limits = { ...windowLimits, graceMs: 0 };
  const replica = connectorReplica(runtime, { pollMs: 5, isConnected: () => false, limits });
  const stop = new AbortController();
  let polls = 0;
  const counted = async (): Promise<void> => void (polls += 1);
  const call = { client: feed, position: '', skipStored: true, signal: stop.signal };
  const stream = replica({ ...call, recheck: counted });
  expect((await stream.next()).value).toMatchObject({ kind: 'caught_up' });
  let pollsMade = 0;
  const queries = await profileQueries(
    runtime.mongo.db,
    /\.(history|permissions|agents)$/,
    async () => {
      const before = polls;
      const next = stream.next();
      await eventually(() => polls >= before + 20);
      stop.abort();
      await next;
      pollsMade = polls - before;
    },
  );
  expect(queries.length).toBeGreaterThanOrEqual(2 * 19);
  expect(queries.length).toBeLessThanOrEqual(2 * (pollsMade + 1));
  expect([...queriesWithoutIndex(queries), ...queriesSortedInMemory(queries)]).toEqual([]);
  // An idle poll reads neither documents nor the keys of sent items.
  for (const { docsExamined, keysExamined } of queries)
    expect([docsExamined, keysExamined <= 1]).toEqual([0, true]);
}, 300_000);

it('a connector’s stream sends permission requests and each change to their state', async () => {
  const permissions = await startTestPermissions(runtime);
  const agent = await newAgentInFeed(runtime, feed);
  const stop = new AbortController();
  const events: ConnectorEvent[] = [];
  const replica = connectorReplica(runtime, { pollMs: 20 });
  const call = { client: feed, position: '', skipStored: true, signal: stop.signal, recheck };
  const ended = (async () => {
    for await (const event of replica(call)) events.push(event);
  })();
  await eventually(() => events.length === 1);
  const request = { agent, requestId: createId(), permission: 'network', reason: 'why' };
  const asked = await permissions.request(request);
  await eventually(() => events.length === 2);
  await permissions.decide({
    userId: agent.userId,
    requestId: createId(),
    permissionRequestId: asked.id,
    decision: 'deny',
  });
  await eventually(() => events.length === 3);
  const states = events.flatMap((event) => (event.kind === 'permission' ? [event] : []));
  expect(states.map(({ request }) => [request.id, request.state])).toEqual([
    [asked.id, 'pending'],
    [asked.id, 'denied'],
  ]);
  expect({ kind: 'user', ...states[0]!.channel }).toEqual(agent.descriptor);
  // A stream that resumes between the two states receives only the second one.
  const [between] = states;
  const again = replica({ ...call, position: between!.position, skipStored: false });
  expect((await again.next()).value).toMatchObject({
    kind: 'permission',
    request: { state: 'denied' },
  });
  expect((await again.next()).value).toMatchObject({ kind: 'caught_up' });
  stop.abort();
  await Promise.all([again.return(undefined), ended]);
  await permissions.close();
});

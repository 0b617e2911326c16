import { createId } from '@daycare/api/create-id';
import { Timestamp } from 'mongodb';
import type { Agent } from '../../agents/domain/agent';
import { firstEntry, nextEntry, type HistoryEntry } from '../../agents/domain/history-entry';
import { keyOf } from '../../agents/domain/descriptor/descriptor-kinds';
import { FeedStore } from '../../agents/store/feed-store';
import {
  makeWatchConnector,
  type ConnectorEvent,
  type WatchConnectorDeps,
} from '../../connectors/usecases/watch-connector';
import { PermissionFeedStore } from '../../permissions/store/permission-feed-store';
import { testAgent } from '../test-agent';
import type { TestRuntime } from '../test-runtime';

export type WatchConnector = ReturnType<typeof makeWatchConnector>;

/** The connectors' event stream as one replica serves it, on the real database and NATS. */
export function connectorReplica(
  runtime: TestRuntime,
  deps: Partial<WatchConnectorDeps> = {},
): WatchConnector {
  const { mongo, agents, feed } = runtime;
  return makeWatchConnector({
    agents,
    entries: new FeedStore(mongo.db),
    permissions: new PermissionFeedStore(mongo.db),
    listen: (connector, listener) => feed.watchFeed(connector, listener),
    listenToPermissions: (connector, listener) => feed.watchFeedPermissions(connector, listener),
    isConnected: () => feed.isConnected,
    pollMs: 60_000,
    gatherMs: 1,
    clock: () => performance.now(),
    stopping: new AbortController().signal,
    ...deps,
  });
}

/** Creates an agent whose records go to the connector's feed. */
export async function newAgentInFeed(
  { agents, history }: TestRuntime,
  feed: string,
): Promise<Agent> {
  const channelId = createId();
  const descriptor = { kind: 'user', connector: feed, connectorUserId: 'me', channelId } as const;
  const draft = testAgent({ id: createId(), userId: createId(), descriptor, feed });
  const { agent } = await agents.ensure(draft, keyOf(descriptor));
  await history.append(firstEntry(agent, new Date()));
  return agent;
}

/** Appends an entry with these notes to an agent's history. */
export async function note(
  { history }: TestRuntime,
  { id }: Agent,
  ...texts: readonly string[]
): Promise<HistoryEntry> {
  const entry = await nextNote({ history }, { id }, ...texts);
  await history.append(entry);
  return entry;
}

/** Stores one entry for each agent with a single insert, as a replica does when it takes over a shard. */
export async function noteForEach(
  { history }: Pick<TestRuntime, 'history'>,
  agents: readonly Agent[],
  text: string,
): Promise<void> {
  await history.appendEach(
    await Promise.all(agents.map((agent) => nextNote({ history }, agent, text))),
  );
}

async function nextNote(
  { history }: Pick<TestRuntime, 'history'>,
  { id }: Pick<Agent, 'id'>,
  ...texts: readonly string[]
): Promise<HistoryEntry> {
  const head = (await history.findHead(id))!;
  const events = texts.map((text) => ({ kind: 'note', text }) as const);
  return nextEntry(head, { events, current: undefined }, { holder: 'r', fence: 1 }, now());
}

const now = (): Date => new Date();

/** Moves an agent's newest entry to an earlier feed position, as if its insert had become visible late. */
export async function delay({ mongo }: TestRuntime, { id }: Agent, seconds: number): Promise<void> {
  const history = mongo.db.collection('history');
  const [newest] = await history.find({ agentId: id }).sort({ number: -1 }).limit(1).toArray();
  const { t, i } = newest!['feedOrder'] as Timestamp;
  const feedOrder = new Timestamp({ t: t - seconds, i });
  await history.updateOne({ _id: newest!._id }, { $set: { feedOrder } });
}

/** A short description of an event. */
export function textOf(event: ConnectorEvent): string {
  switch (event.kind) {
    case 'record':
      return event.record.kind === 'note' ? event.record.text : event.record.kind;
    case 'permission':
      return `${event.request.permission} ${event.request.state}`;
    case 'progress':
      return event.progress.kind === 'delta'
        ? `… ${event.progress.text}`
        : `${event.progress.toolName} ${event.progress.state}`;
    case 'caught_up':
      return 'caught up';
  }
}

/** A feed store that reports how many entries each read returned. */
export class CountingStore extends FeedStore {
  constructor(
    db: ConstructorParameters<typeof FeedStore>[0],
    private readonly onRead: (count: number) => void,
  ) {
    super(db);
  }

  override async readEntries(...call: Parameters<FeedStore['readEntries']>) {
    const page = await super.readEntries(...call);
    this.onRead(page.entries.length);
    return page;
  }
}

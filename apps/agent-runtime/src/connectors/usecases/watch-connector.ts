import { LRUCache } from 'lru-cache';
import { AppError, limitEntries } from '@daycare/api';
import { mergeSignals, onAbort, pause, Wakeup } from '@daycare/async';
import {
  type AgentAdvanced,
  type AgentProgress,
  type AgentReader,
  type ConnectorTarget,
  connectorTargetOf,
  type HistoryRecord,
} from '../../agents';
import type { PermissionRequest } from '../../permissions';
import { RarePolls } from '../../shared/concurrency/poll-gently';
import { encodePosition, type FeedPosition } from '../domain/feed-position';
import { FeedHorizon } from '../domain/feed-horizon';
import { FeedWindow, windowLimits, type WindowLimits } from '../domain/feed-window';
import { LiveBuffer, type LiveProgress } from './live-buffer';
import { readFeed, type FeedItem, type ReadFeedDeps } from './read-feed';
import { startPosition } from './start-position';

/** The agent and the channel that an event is about. */
export interface FeedSubject {
  readonly agentId: string;
  readonly userId: string;
  readonly channel: ConnectorTarget | undefined;
}

export type ConnectorEvent =
  | ({ readonly position: string } & FeedSubject &
      (
        | { readonly kind: 'record'; readonly record: HistoryRecord }
        | { readonly kind: 'permission'; readonly request: PermissionRequest }
      ))
  | ({ readonly kind: 'progress'; readonly progress: AgentProgress } & FeedSubject)
  | { readonly kind: 'caught_up'; readonly position: string };

export interface WatchConnectorDeps extends ReadFeedDeps {
  readonly agents: Pick<AgentReader, 'findMany'>;
  /** Subscribes to live events of a connector's agents; returns a function that unsubscribes. */
  readonly listen: (
    feed: string,
    listener: (agentId: string, event: AgentAdvanced | AgentProgress) => void,
  ) => () => void;
  /** Subscribes to changes to the permission requests that a connector shows. */
  readonly listenToPermissions: (feed: string, listener: () => void) => () => void;
  /** Whether hints are currently arriving. */
  readonly isConnected: () => boolean;
  /** How often the caller's access is rechecked; while no hints arrive, also how often the feed is read. */
  readonly pollMs: number;
  /** Hints that arrive within this time after a read share the next read. */
  readonly gatherMs: number;
  readonly limits?: WindowLimits;
  /** Aborted when the service stops: the client then continues on another replica. */
  readonly stopping: AbortSignal;
}

export interface WatchConnectorCall {
  /** The name of the client, which is also the name of its connector. */
  readonly client: string;
  readonly position: string;
  readonly skipStored: boolean;
  readonly signal: AbortSignal;
  /** Throws when the caller is no longer authorised. */
  readonly recheck: () => Promise<void>;
}

/** While hints arrive, only one in this many polls reads the feed, in case a hint was lost. */
const pollEvery = 5;
const maxKnownAgents = 20_000;

/**
 * Streams what a connector's agents do: their records, each once and in order for each agent; their permission
 * requests, each again in its newest state after it has changed; and their progress. A hint about something stored only
 * triggers a read, so its loss only causes a delay. The next page is read only once the previous one has been sent, so
 * a slow client costs no more memory than a page and a limited number of live events.
 */
export function makeWatchConnector(deps: WatchConnectorDeps) {
  const channels = new LRUCache<string, FeedSubject>(limitEntries(maxKnownAgents));
  const horizon = new FeedHorizon();
  return async function* watch(call: WatchConnectorCall): AsyncGenerator<ConnectorEvent> {
    const position = await startPosition(deps, call, deps.limits ?? windowLimits);
    const { signal, release } = mergeSignals(call.signal, deps.stopping);
    const wakeup = new Wakeup();
    const wake = (): void => wakeup.signal();
    const live = new LiveBuffer(wake);
    onAbort(signal, wake);
    const stops = [
      deps.listen(call.client, (agentId, event) => live.add(agentId, event)),
      deps.listenToPermissions(call.client, () => live.expectRecords()),
    ];
    try {
      const stream = new ConnectorStream(
        deps,
        { ...call, signal },
        { position, channels, horizon },
      );
      yield* stream.follow(live, wakeup);
      if (deps.stopping.aborted)
        throw new AppError('UNAVAILABLE', 'This replica is stopping; try again');
    } finally {
      stops.forEach((stop) => stop());
      release();
    }
  };
}

interface Start {
  readonly position: FeedPosition;
  /** Shared by all of the process's streams, because an agent's channel never changes. */
  readonly channels: LRUCache<string, FeedSubject>;
  /** Also shared by all streams, because all feeds are in the same database. */
  readonly horizon: FeedHorizon;
}

class ConnectorStream {
  readonly #window: FeedWindow;
  readonly #limits: WindowLimits;
  readonly #polls = new RarePolls(pollEvery);
  /** The sequence number of the last record sent, by agent. */
  readonly #lastSequences = new LRUCache<string, number>(limitEntries(maxKnownAgents));
  readonly #channels: Start['channels'];
  readonly #horizon: FeedHorizon;
  #isBehind = true;

  constructor(
    private readonly deps: WatchConnectorDeps,
    private readonly call: WatchConnectorCall,
    { position, channels, horizon }: Start,
  ) {
    this.#limits = deps.limits ?? windowLimits;
    this.#window = new FeedWindow(position, deps.clock(), this.#limits);
    this.#channels = channels;
    this.#horizon = horizon;
  }

  async *follow(live: LiveBuffer, wakeup: Wakeup): AsyncGenerator<ConnectorEvent> {
    const { recheck } = this.call;
    let isFirst = true;
    while (!this.#isOver()) {
      await recheck();
      const { hasRecords, progress } = live.take();
      const isDue = this.#polls.isDue(this.deps.isConnected());
      if (isDue || hasRecords || this.#isBehind || progress.some((each) => this.#isNew(each)))
        yield* this.#sendStored();
      if (this.#isOver()) return;
      if (!this.#isBehind) yield* this.#sendProgress(progress);
      if (isFirst && !this.#isBehind) {
        isFirst = false;
        yield { kind: 'caught_up', position: this.#position() };
      }
      await this.#waitForNext(wakeup);
    }
  }

  async #waitForNext(wakeup: Wakeup): Promise<void> {
    const { pollMs, gatherMs, clock } = this.deps;
    // While items are held back, nothing that arrives can be sent before items sent earlier have settled.
    const heldMs = this.#isBehind ? Math.max(gatherMs, this.#settlesInMs(clock())) : gatherMs;
    await pause(Math.min(pollMs, heldMs), this.call.signal);
    if (!this.#isBehind) await wakeup.sleep(pollMs);
  }

  #isOver(): boolean {
    return this.call.signal.aborted;
  }

  #settlesInMs(nowMs: number): number {
    return (this.#window.settlesAtMs ?? nowMs) - nowMs;
  }

  /** Sends all unsent items, until none are left or too many would be unsettled. */
  async *#sendStored(): AsyncGenerator<ConnectorEvent> {
    const { recheck, client } = this.call;
    const { maxAhead } = this.#limits;
    const state = { window: this.#window, horizon: this.#horizon, maxAhead };
    for (;;) {
      const page = await readFeed(this.deps, client, state);
      const { items, seenAtMs, horizon, unsentFrom, missingFrom } = page;
      await this.#findChannels(items.flatMap(agentIdsOf));
      // The stream may be interrupted before this page is sent, so only earlier items settle.
      this.#window.settle(horizon, unsentFrom);
      for (const item of items) yield* this.#sendItem(item, seenAtMs);
      this.#window.settle(horizon, missingFrom);
      this.#isBehind = missingFrom !== undefined;
      const isHeldBack = items.length === 0 && this.#window.room === 0;
      if (this.#isOver() || !this.#isBehind || isHeldBack) return;
      await recheck();
    }
  }

  *#sendItem(item: FeedItem, seenAtMs: number): Generator<ConnectorEvent> {
    if (item.kind === 'permission') {
      const { request } = item.change;
      const { agentId, userId, target: channel } = request;
      this.#window.add(item, seenAtMs);
      const position = this.#position();
      yield { kind: 'permission', request, agentId, userId, channel, position };
      return;
    }
    const { entry, order } = item;
    const { agentId, userId, records } = entry;
    const { channel } = this.#channels.get(agentId) ?? { channel: undefined };
    const sent = this.#window.lastSentSequence(order);
    const last = records.at(-1)?.sequence ?? 0;
    for (const record of records.filter(({ sequence }) => sequence > sent)) {
      if (record.sequence < last) this.#window.addPart(order, record.sequence);
      else this.#window.add(item, seenAtMs);
      this.#lastSequences.set(agentId, record.sequence);
      yield { kind: 'record', record, agentId, userId, channel, position: this.#position() };
    }
  }

  async *#sendProgress(all: readonly LiveProgress[]): AsyncGenerator<ConnectorEvent> {
    await this.#findChannels(all.map(({ agentId }) => agentId));
    for (const { agentId, progress } of all) {
      // All stored records have been sent by now. If this stream has sent no record of the agent, the one that this
      // progress follows was sent by an earlier stream or was skipped at the client's request.
      const last = this.#lastSequences.get(agentId) ?? progress.afterSequence;
      this.#lastSequences.set(agentId, last);
      const subject = this.#channels.get(agentId);
      if (subject && progress.afterSequence === last)
        yield { kind: 'progress', progress, ...subject };
    }
  }

  /** Reports whether this progress follows a record that may not have been sent yet. */
  #isNew({ agentId, progress }: LiveProgress): boolean {
    const last = this.#lastSequences.get(agentId);
    return last === undefined || progress.afterSequence > last;
  }

  async #findChannels(agentIds: readonly string[]): Promise<void> {
    const unknown = [...new Set(agentIds)].filter((id) => !this.#channels.has(id));
    if (unknown.length === 0) return;
    for (const { id: agentId, userId, descriptor } of await this.deps.agents.findMany(unknown)) {
      const channel = connectorTargetOf(descriptor);
      this.#channels.set(agentId, { agentId, userId, channel });
    }
  }

  #position(): string {
    return encodePosition(this.#window.position);
  }
}

function agentIdsOf(item: FeedItem): readonly string[] {
  return item.kind === 'entry' ? [item.entry.agentId] : [];
}

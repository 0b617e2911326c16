import { batch, computed, signal } from '@preact/signals';
import type { AgentEvent } from '@daycare/client/browser';
import type { HistoryRecord, ToolProgress } from '@daycare/contracts/agent-runtime';
import { ToolProgressState } from '@daycare/contracts/agent-runtime';
import { daycare, describeError, leaveIfSignedOut } from '../../../data/client';
import { runLive } from '../../../data/live';
import type { LiveContext } from '../../../data/windows/live-context';
import { atMostEvery } from '../../../data/timing/at-most-every';
import { isActive } from '../../../data/timing/last-input';
import { takeTurns } from '../../../data/windows/take-turns';
import { announce } from '../../../data/notices';
import { applyDelta, type Draft } from '../log/apply-delta';
import { readBefore } from '../log/read-before';
import {
  appendRecords,
  keepNewest,
  lastSequence,
  prependPage,
  type RecordLog,
} from '../log/record-log';
import { isWorking, RowMaker } from '../log/to-rows';
import { stillPending, type PendingMessage } from './pending-message';

const firstPageSize = 60;
const nextPageSize = 300;
const largePageSize = 1_000;
/**
 * The interval at which new records are drawn. People do not read faster, and each redraw causes a layout of the page.
 * In a storm, i.e. when many records arrive together, they are drawn less often, and even less often while the person
 * is typing or scrolling (`active`).
 */
const drawMs = { usual: 100, storm: 250, active: 750 };
/** A redraw with at least this many new records is part of a storm. */
const minStormRecords = 4;
/**
 * How many records are kept while the person is following the newest ones; older records are dropped and can be read
 * again.
 */
const maxRecordsWhileFollowing = 2_000;

/** The loaded part of one agent's history, and the agent's current activity. */
export class ConversationStore {
  readonly records = signal<RecordLog>([]);
  readonly draft = signal<Draft | undefined>(undefined);
  readonly running = signal<ReadonlyMap<string, ToolProgress>>(new Map());
  readonly pending = signal<readonly PendingMessage[]>([]);
  readonly isLoaded = signal(false);
  readonly hasEnded = signal(false);
  /** Why earlier records could not be read; empty otherwise. */
  readonly earlierProblem = signal('');
  /** Why the agent cannot be followed, e.g. because it does not exist; empty otherwise. */
  readonly problem = signal('');
  readonly isWorking = computed(() => isWorking(this.records.value));
  readonly hasEarlier = computed(() => (this.records.value[0]?.sequence ?? 1) > 1);
  readonly #maker = new RowMaker();
  readonly rows = computed(() => this.#maker.toRows(this.records.value));
  #isFollowing = true;
  #isOpen = false;
  #reading: Promise<void> | undefined;
  readonly #events: AgentEvent[] = [];
  #isStorm = false;
  readonly #drawing = atMostEvery(
    () => (!this.#isStorm ? drawMs.usual : isActive() ? drawMs.active : drawMs.storm),
    () => beforeDrawing(() => this.#apply()),
  );

  constructor(readonly agentId: string) {}

  /** Follows the agent until the returned function is called. */
  open(): () => void {
    this.problem.value = '';
    this.#isOpen = true;
    const end = runLive(
      `agent ${this.agentId}`,
      (live) => this.#follow(live),
      (error) => (this.problem.value = describeError(error)),
    );
    return () => {
      end();
      // Received records are kept, but no longer announced, because the person is on another page.
      this.#isOpen = false;
      this.#drawing.cancel();
      this.#apply();
    };
  }

  /** Sets whether the person is following the newest records; only then may older ones be dropped. */
  follow(isFollowing: boolean): void {
    this.#isFollowing = isFollowing;
  }

  /** Reads one more page of earlier records. After a failure it does nothing; call `retryEarlier` instead. */
  loadEarlier(count = nextPageSize): Promise<void> {
    const isPossible = this.isLoaded.peek() && this.hasEarlier.peek();
    if (!isPossible || this.earlierProblem.peek() !== '') return Promise.resolve();
    this.#reading ??= this.#tryEarlier(count).finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** Reads earlier records again after a failure. */
  retryEarlier(): Promise<void> {
    this.earlierProblem.value = '';
    return this.loadEarlier();
  }

  /** Reads back to the first record that is available. */
  async loadAll(): Promise<void> {
    this.#isFollowing = false;
    this.earlierProblem.value = '';
    for (let first = Infinity; this.hasEarlier.peek();) {
      await this.loadEarlier(largePageSize);
      const next = this.records.peek()[0]?.sequence ?? 1;
      if (next >= first) return;
      first = next;
    }
  }

  async #tryEarlier(count: number): Promise<void> {
    try {
      await this.#readEarlier(count);
    } catch (error) {
      if (!leaveIfSignedOut(error)) this.earlierProblem.value = describeError(error);
    }
  }

  async #follow(live: LiveContext): Promise<void> {
    if (!this.isLoaded.peek()) await this.#readNewest(live);
    await takeTurns(live.signal, (turn) => this.#watch({ ...live, signal: turn }));
    this.hasEnded.value = true;
  }

  async #watch(live: LiveContext): Promise<void> {
    const after = this.#lastReceived();
    for await (const event of daycare.watch.agent(this.agentId, { ...live, after })) {
      live.onReceived();
      this.#events.push(event);
      this.#drawing.request();
    }
  }

  /** Returns the sequence number of the last received record, even if it has not been drawn yet. */
  #lastReceived(): number {
    const last = this.#events.findLast(({ $case }) => $case === 'record');
    return last?.$case === 'record' ? last.value.sequence : lastSequence(this.records.peek());
  }

  async #readNewest({ signal: end, onReceived }: LiveContext): Promise<void> {
    const request = { agentId: this.agentId, pageSize: firstPageSize, pageToken: '' };
    const { records } = await daycare.rpc.agentRuntime.listHistory(
      { ...request, afterSequence: 0, newestFirst: true },
      { signal: end },
    );
    onReceived();
    batch(() => {
      this.records.value = prependPage([], records);
      this.isLoaded.value = true;
    });
  }

  async #readEarlier(count: number): Promise<void> {
    const { agentId } = this;
    const first = this.records.peek()[0]?.sequence ?? 1;
    const records = await readBefore(
      (page) => daycare.rpc.agentRuntime.listHistory({ ...page, agentId, newestFirst: false }),
      first,
      count,
    );
    // If older records were dropped during the read, adding these would leave a gap.
    if (this.records.peek()[0]?.sequence === first)
      this.records.value = prependPage(this.records.peek(), records);
  }

  /** Applies all events since the last call together, so that a burst of events causes few redraws. */
  #apply(): void {
    const events = this.#events.splice(0);
    // When frames are slow, several calls may be waiting for the same frame; the first one applies everything.
    if (events.length === 0) return;
    batch(() => {
      const records: HistoryRecord[] = [];
      for (const event of events) {
        if (event.$case !== 'record') this.#progress(event);
        // The record has the whole text; any later text belongs to the next record.
        else this.draft.value = undefined;
        if (event.$case === 'record') records.push(event.value);
      }
      this.#isStorm = records.length >= minStormRecords;
      if (records.length > 0) this.#append(records);
    });
  }

  #append(records: readonly HistoryRecord[]): void {
    const all = appendRecords(this.records.peek(), records);
    this.records.value = this.#isFollowing ? keepNewest(all, maxRecordsWhileFollowing) : all;
    this.pending.value = stillPending(this.pending.peek(), records);
    for (const { record } of records) {
      if (record?.$case === 'toolResult') this.#endTool(record.value.toolCallId);
      if (this.#isOpen && record?.$case === 'assistantMessage' && record.value.text !== '')
        announce(record.value.text.slice(0, 300));
    }
  }

  #progress(event: Exclude<AgentEvent, { $case: 'record' }>): void {
    if (event.$case === 'delta') this.draft.value = applyDelta(this.draft.peek(), event.value);
    else if (event.value.state === ToolProgressState.ENDED) this.#endTool(event.value.toolCallId);
    else this.running.value = new Map(this.running.peek()).set(event.value.toolCallId, event.value);
  }

  #endTool(id: string): void {
    if (!this.running.peek().has(id)) return;
    const stillRunning = new Map(this.running.peek());
    stillRunning.delete(id);
    this.running.value = stillRunning;
  }
}

/** Calls `run` before the next frame, or immediately in a hidden page, which has no frames. */
function beforeDrawing(run: () => void): void {
  if (document.hidden) run();
  else requestAnimationFrame(run);
}

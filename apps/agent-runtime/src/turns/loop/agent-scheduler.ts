import { toAppError } from '@daycare/api';
import type { AgentReader, AgentWriter, HistoryEntry } from '../../agents';
import type { LiveFeed, WaitingAgent } from '../../messaging';
import { FairSemaphore } from '../../shared/concurrency/fair-semaphore';
import { Places } from '../../shared/concurrency/places';
import { pollGently, RarePolls } from '../../shared/concurrency/poll-gently';
import { failWork } from '../domain/failures/after-failure';
import type { Lease } from '../leases/lease';
import { LeaseLostError } from '../sessions/entry-writer';
import { AgentSessions, type AgentSessionsDeps } from '../sessions/agent-sessions';
import { makeAnnounceEntry } from './announce-entry';
import { claimAgents } from './claim-agents';
import { runAgent, type RunDeps, type RunEnd } from './run-agent';
import {
  waitForTurns,
  runsInSlots,
  type RetryTimer,
  type Run,
  type ServedShard,
} from './served-shard';
import { TurnInterrupts } from '../interrupts/turn-interrupts';

export interface SchedulerDeps extends RunDeps, Omit<AgentSessionsDeps, 'onStored'> {
  readonly agents: AgentReader & Pick<AgentWriter, 'setWaiting' | 'touch'>;
  readonly feed: LiveFeed;
  /** Notifies the watchers of the user's agents. */
  readonly hintUser: (userId: string) => void;
  /** Counts entries for metrics; called with each entry once it is stored. */
  readonly observeEntry?: (entry: HistoryEntry) => void;
  /** How many agents run turns concurrently in this process. */
  readonly maxTurns: number;
  /** How many of them may belong to one user and its subusers. */
  readonly maxTurnsPerUser: number;
  /**
   * How often inboxes are polled for items whose hint was lost; less often while polls are slow, and a fifth as
   * often while NATS is connected and no turn is under way.
   */
  readonly pollMs: number;
  /** How long leaving a shard waits for the turns under way when the replica stops. */
  readonly leaveTimeoutMs: number;
  /** How long it waits while shards are redistributed; if a turn takes longer, the shard stays here. */
  readonly drainTimeoutMs: number;
}

const retryAfterErrorMs = 1_000;
const pollsPerQuietPoll = 5;
const unexpectedReason = 'something unexpected happened';
const idle: RunEnd = { kind: 'idle' };

/**
 * Runs the agents of the shards this replica holds: each as soon as it has waiting items, one run
 * at a time per agent, a bounded number of agents concurrently.
 */
export class AgentScheduler {
  readonly #shards = new Map<number, ServedShard>();
  readonly #sessions: AgentSessions;
  readonly #slots: FairSemaphore;
  /** Fewer than an owner's slots, so that guests cannot keep the owner waiting. */
  readonly #guestPlaces: Places;
  readonly #polls = new RarePolls(pollsPerQuietPoll);
  readonly #stopPolling: () => void;
  readonly #stopListening: () => void;

  constructor(private readonly deps: SchedulerDeps) {
    const onStored = makeAnnounceEntry(deps);
    this.#sessions = new AgentSessions({ ...deps, onStored });
    this.#slots = new FairSemaphore(deps.maxTurns, deps.maxTurnsPerUser);
    this.#guestPlaces = new Places(Math.max(1, deps.maxTurnsPerUser - 1));
    this.#stopPolling = pollGently(() => this.#poll(), deps.pollMs);
    this.#stopListening = deps.feed.onInterrupt((agentIds) => this.interrupt(agentIds));
  }

  /** Starts serving a shard. Once this has resolved, no previous holder can write any more. */
  async serve(lease: Lease): Promise<void> {
    const { shard } = lease;
    // The claim may miss items that arrive while it runs.
    const wokenDuringClaim: string[] = [];
    let onWake = (agentIds: readonly string[]): void => void wokenDuringClaim.push(...agentIds);
    const unsubscribe = this.deps.feed.onWake(shard, (agentIds) => onWake(agentIds));
    try {
      const waiting = await claimAgents(this.deps, lease);
      if (!lease.isValid()) throw new LeaseLostError('the lease has expired');
      this.#shards.set(shard, {
        lease,
        abort: new AbortController(),
        runs: new Map(),
        timers: new Map(),
        unsubscribe,
        isLeaving: false,
        isLeavingForGood: false,
      });
      onWake = (agentIds) => this.wake(shard, agentIds);
      this.wake(shard, [...waiting, ...wokenDuringClaim]);
      // The subscription may have reached NATS after a hint was sent.
      this.#polls.makeNextDue();
    } catch (error) {
      unsubscribe();
      throw error;
    }
  }

  /** Runs agents that have new items; does nothing for a shard that is not served here. */
  wake(shard: number, agentIds: readonly string[]): void {
    const served = this.#shards.get(shard);
    if (!served || served.isLeaving) return;
    for (const agentId of agentIds) this.#wakeAgent(served, agentId);
  }

  /** Makes the turns in progress of these agents check whether they have to end. */
  interrupt(agentIds: readonly string[]): void {
    for (const { runs } of this.#shards.values())
      for (const agentId of agentIds) runs.get(agentId)?.interrupts.raise();
  }

  /**
   * Starts no new turns in a shard, waits a while for those under way, and aborts the remaining ones.
   */
  async leave(lease: Lease): Promise<void> {
    const served = this.#shards.get(lease.shard);
    if (served?.lease !== lease) return;
    served.isLeaving = true;
    served.isLeavingForGood = true;
    await waitForTurns(served, this.deps.leaveTimeoutMs);
    this.drop(lease);
  }

  /**
   * Like `leave`, but aborts nothing: if turns take too long, the shard stays here. Returns whether the shard
   * was left.
   */
  async tryLeave(lease: Lease): Promise<boolean> {
    const served = this.#shards.get(lease.shard);
    if (served?.lease !== lease) return true;
    served.isLeaving = true;
    const isIdle = await waitForTurns(served, this.deps.drainTimeoutMs);
    if (isIdle) this.drop(lease);
    else if (!served.isLeavingForGood) this.#stay(served);
    return isIdle;
  }

  /** Continues to serve a shard. Finds its waiting items, because hints were ignored in the meantime. */
  #stay(served: ServedShard): void {
    served.isLeaving = false;
    for (const run of served.runs.values()) run.mayHaveNewItems = true;
    void this.#findItems([served.lease.shard]);
  }

  /** How many agents of a shard have a slot, and so perhaps a turn under way. */
  countTurns({ shard }: Pick<Lease, 'shard'>): number {
    const served = this.#shards.get(shard);
    return served ? runsInSlots(served).length : 0;
  }

  /** Aborts everything under way in a shard that this replica no longer holds. */
  drop(lease: Lease): void {
    const served = this.#shards.get(lease.shard);
    if (served?.lease !== lease) return;
    this.#shards.delete(lease.shard);
    served.isLeaving = true;
    served.unsubscribe();
    served.abort.abort(new LeaseLostError('the shard is served elsewhere'));
    for (const { timer } of served.timers.values()) clearTimeout(timer);
  }

  stop(): void {
    this.#stopPolling();
    this.#stopListening();
  }

  /** How many agents wait for a retry. */
  get agentsAwaitingRetry(): number {
    return [...this.#shards.values()].reduce((sum, { timers }) => sum + timers.size, 0);
  }

  get servedShards(): readonly number[] {
    return [...this.#shards.keys()];
  }

  #wakeAgent(served: ServedShard, agentId: string): void {
    const run = served.runs.get(agentId);
    if (run) run.mayHaveNewItems = true;
    else this.#start(served, agentId);
  }

  #start(served: ServedShard, agentId: string): void {
    clearTimeout(served.timers.get(agentId)?.timer);
    served.timers.delete(agentId);
    let onEnded: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (onEnded = resolve));
    const run: Run = {
      mayHaveNewItems: false,
      isInSlot: false,
      interrupts: new TurnInterrupts(),
      ended,
    };
    served.runs.set(agentId, run);
    void this.#runUntilIdle(served, agentId, run).finally(onEnded);
  }

  async #runUntilIdle(served: ServedShard, agentId: string, run: Run): Promise<void> {
    let end: RunEnd;
    do end = await this.#runOnce(served, agentId, run);
    while ((run.mayHaveNewItems || end.kind === 'more') && !served.isLeaving);
    // No await from here on: a wake-up either was noticed above or starts a new run.
    served.runs.delete(agentId);
    if (end.kind === 'later') this.#runLater(served, agentId, end.at);
  }

  async #runOnce(served: ServedShard, agentId: string, run: Run): Promise<RunEnd> {
    const { now, log } = this.deps;
    try {
      const payer = await this.#sessions.findPayer(agentId);
      if (payer === undefined) return idle;
      const guests = { served: false };
      const mayServeGuests = (): boolean => (guests.served ||= this.#guestPlaces.tryTake(payer));
      await this.#slots.acquire(payer);
      try {
        run.mayHaveNewItems = false;
        run.isInSlot = true;
        return await this.#runInSlot(served, agentId, run, mayServeGuests);
      } finally {
        if (guests.served) this.#guestPlaces.release(payer);
        run.isInSlot = false;
        this.#slots.release(payer);
      }
    } catch (error) {
      this.#sessions.discard(agentId);
      if (served.isLeaving || error instanceof LeaseLostError) return idle;
      log.warn({ err: error, agentId }, 'agent run failed; retrying');
      if (toAppError(error).code === 'INTERNAL') await this.#countFailure(served.lease, agentId);
      return { kind: 'later', at: new Date(now().getTime() + retryAfterErrorMs) };
    }
  }

  async #runInSlot(
    served: ServedShard,
    agentId: string,
    run: Run,
    mayServeGuests: () => boolean,
  ): Promise<RunEnd> {
    if (served.isLeaving) return idle;
    const session = await this.#sessions.open(agentId, served.lease);
    if (!session) return idle;
    const { signal } = served.abort;
    const { interrupts } = run;
    const isLeaving = (): boolean => served.isLeaving;
    const end = await runAgent(session, this.deps, {
      signal,
      interrupts,
      isLeaving,
      mayServeGuests,
    });
    this.#sessions.remeasure(session);
    return end;
  }

  /** An unexpected failure is likely to recur, so it is counted: after too many the work becomes a dead letter. */
  async #countFailure(lease: Lease, agentId: string): Promise<void> {
    const { now, log } = this.deps;
    try {
      const session = await this.#sessions.open(agentId, lease);
      const work = session?.state.current;
      if (work && !work.notBefore) await session.commit(failWork(work, unexpectedReason, now()));
    } catch (error) {
      this.#sessions.discard(agentId);
      log.warn({ err: error, agentId }, 'recording the failure failed; retrying the run');
    }
  }

  #runLater(served: ServedShard, agentId: string, at: Date): void {
    if (served.isLeaving) return;
    const waitMs = Math.max(0, at.getTime() - this.deps.now().getTime());
    const timer = setTimeout(() => {
      served.timers.delete(agentId);
      this.#wakeAgent(served, agentId);
    }, waitMs);
    served.timers.set(agentId, { timer, at });
  }

  /** Finds the items whose hints were lost. */
  async #poll(): Promise<void> {
    if (this.#shards.size === 0) return;
    const running = this.#running();
    if (!this.#polls.isDue(running.size === 0 && this.deps.feed.isConnected)) return;
    await this.#findItems(this.servedShards, running);
  }

  async #findItems(shards: readonly number[], running = new Map<string, Run>()): Promise<void> {
    try {
      const waiting = await this.deps.inbox.waitingAgents(shards);
      for (const agent of waiting) this.#onWaiting(agent);
      for (const { id } of waiting) running.delete(id);
      // The items of a turn stay in the inbox until the turn ends. If a running agent has none left, something
      // may have ended its turn.
      for (const { interrupts } of running.values()) interrupts.raise();
    } catch (error) {
      this.#polls.makeNextDue();
      this.deps.log.warn({ err: error }, 'inbox poll failed; retrying');
    }
  }

  #onWaiting({ id, shard, hasControl }: WaitingAgent): void {
    const served = this.#shards.get(shard);
    if (!served || served.isLeaving) return;
    const run = served.runs.get(id);
    if (run && hasControl) run.interrupts.raise();
    if (!run && (hasControl || this.#isDue(served.timers.get(id)))) this.#start(served, id);
  }

  /** Compares with the clock, because a timer fires late after the machine was suspended. */
  #isDue(retry: RetryTimer | undefined): boolean {
    return !retry || retry.at <= this.deps.now();
  }

  #running(): Map<string, Run> {
    return new Map([...this.#shards.values()].flatMap(({ runs }) => [...runs]));
  }
}

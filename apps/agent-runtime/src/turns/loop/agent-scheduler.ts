import type { LiveFeed, WaitingAgent } from '../../messaging';
import { pollGently, RarePolls } from '../../shared/concurrency/poll-gently';
import type { Lease } from '../leases/lease';
import { LeaseLostError } from '../sessions/entry-writer';
import type { AgentRuns } from './agent-runs';
import { claimAgents, type ClaimDeps } from './claim-agents';
import { waitForTurns, runsInSlots, type Run, type ServedShard } from './served-shard';

export interface SchedulerDeps extends ClaimDeps {
  readonly runs: AgentRuns;
  readonly feed: Pick<LiveFeed, 'onWake' | 'onInterrupt' | 'isConnected'>;
  /**
   * How often inboxes are polled for items whose hint was lost. Polls are less frequent while they are slow, and only
   * every fifth is made while NATS is connected and no agent is running.
   */
  readonly pollMs: number;
  /** How long to wait for a shard's turns under way when the replica stops, before they are aborted. */
  readonly stopTimeoutMs: number;
  /** How long to wait for these turns when shards are redistributed; after that the shard stays here. */
  readonly drainTimeoutMs: number;
  readonly log: { warn(fields: object, text: string): void };
}

const pollsPerQuietPoll = 5;

/** Serves the shards that this replica holds: runs their agents as soon as they have waiting items. */
export class AgentScheduler {
  readonly #shards = new Map<number, ServedShard>();
  readonly #polls = new RarePolls(pollsPerQuietPoll);
  readonly #stopPolling: () => void;
  readonly #stopListening: () => void;

  constructor(private readonly deps: SchedulerDeps) {
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
        isStopping: false,
        mustStop: false,
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
    if (!served || served.isStopping) return;
    for (const agentId of agentIds) this.deps.runs.wake(served, agentId);
  }

  /** Makes these agents' turns in progress check whether they have to end. */
  interrupt(agentIds: readonly string[]): void {
    for (const { runs } of this.#shards.values())
      for (const agentId of agentIds) runs.get(agentId)?.interrupts.raise();
  }

  /**
   * Stops serving a shard: starts no new turns, waits a while for those under way, and aborts the remaining ones.
   */
  async stopServing(lease: Lease): Promise<void> {
    const served = this.#shards.get(lease.shard);
    if (served?.lease !== lease) return;
    served.isStopping = true;
    served.mustStop = true;
    await waitForTurns(served, this.deps.stopTimeoutMs);
    this.drop(lease);
  }

  /**
   * Like `stopServing`, but aborts nothing: if turns take too long, this replica keeps serving the shard. Returns
   * whether it has stopped serving it.
   */
  async tryStopServing(lease: Lease): Promise<boolean> {
    const served = this.#shards.get(lease.shard);
    if (served?.lease !== lease) return true;
    served.isStopping = true;
    const isIdle = await waitForTurns(served, this.deps.drainTimeoutMs);
    if (isIdle) this.drop(lease);
    else if (!served.mustStop) this.#resume(served);
    return isIdle;
  }

  /** Resumes serving a shard. Polls for waiting items, because hints were ignored in the meantime. */
  #resume(served: ServedShard): void {
    served.isStopping = false;
    for (const run of served.runs.values()) run.mayHaveNewItems = true;
    void this.#findItems([served.lease.shard]);
  }

  /** Returns how many of a shard's agents have a slot, and so perhaps a turn under way. */
  countTurns({ shard }: Pick<Lease, 'shard'>): number {
    const served = this.#shards.get(shard);
    return served ? runsInSlots(served).length : 0;
  }

  /** Aborts everything under way in a shard, and serves it no longer. */
  drop(lease: Lease): void {
    const served = this.#shards.get(lease.shard);
    if (served?.lease !== lease) return;
    this.#shards.delete(lease.shard);
    served.isStopping = true;
    served.unsubscribe();
    served.abort.abort(new LeaseLostError('this replica no longer serves the shard'));
    for (const { timer } of served.timers.values()) clearTimeout(timer);
  }

  stop(): void {
    this.#stopPolling();
    this.#stopListening();
  }

  /** How many agents are waiting for a retry, or because of the limits on guests' turns. */
  get agentsAwaitingRetry(): number {
    return [...this.#shards.values()].reduce((sum, { timers }) => sum + timers.size, 0);
  }

  get servedShards(): readonly number[] {
    return [...this.#shards.keys()];
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
      // The items of a turn stay in the inbox until the turn ends. If a running agent has none left, they may have
      // been removed, so the turn has to check whether to end.
      for (const { interrupts } of running.values()) interrupts.raise();
    } catch (error) {
      this.#polls.makeNextDue();
      this.deps.log.warn({ err: error }, 'inbox poll failed; retrying');
    }
  }

  #onWaiting({ id, shard, hasControl }: WaitingAgent): void {
    const served = this.#shards.get(shard);
    if (!served || served.isStopping) return;
    const { runs } = this.deps;
    const run = served.runs.get(id);
    if (run && hasControl) run.interrupts.raise();
    if (!run && (hasControl || runs.isDue(served, id))) runs.start(served, id);
  }

  #running(): Map<string, Run> {
    return new Map([...this.#shards.values()].flatMap(({ runs }) => [...runs]));
  }
}

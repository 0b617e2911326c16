import { BoundedCache } from '@daycare/auth';
import { toAppError } from '@daycare/errors';
import { fail } from '../domain/turn-steps';
import type { AgentStore } from '../store/agent-store';
import { AgentSession, LeaseLostError, type SessionParts } from './agent-session';
import { claimAgents } from './claim-agents';
import { FairSlots } from './fair-slots';
import type { Lease } from './lease';
import type { LiveFeed } from './live-feed';
import { runAgent, type RunEnd, type RunParts } from './run-agent';
import { SessionCache } from './session-cache';

export interface SchedulerParts extends RunParts, SessionParts {
  readonly agents: AgentStore;
  readonly feed: LiveFeed;
  /** How many agents take turns at once in this process. */
  readonly maxTurns: number;
  /** How many of them may be of one user. */
  readonly maxTurnsPerUser: number;
  /** How often inboxes are looked at although nobody said that anything waits. */
  readonly pollMs: number;
  /** How long a shard that is given away waits for the turns under way. */
  readonly leaveTimeoutMs: number;
}

/** A shard while this replica serves it. */
interface ServedShard {
  readonly lease: Lease;
  readonly abort: AbortController;
  readonly runs: Map<string, Run>;
  /** Agents that wait for their time. */
  readonly timers: Map<string, NodeJS.Timeout>;
  readonly unsubscribe: () => void;
  isLeaving: boolean;
}

interface Run {
  /** Something may have come since it last looked. */
  again: boolean;
  readonly ended: Promise<void>;
}

const rememberedUsers = 100_000;
const retryAfterErrorMs = 1_000;
const unexpected = 'something unexpected happened';

/**
 * Runs the agents of the shards this replica holds: each as soon as something waits for it, one run at
 * a time per agent, a bounded number at once.
 */
export class AgentScheduler {
  readonly #shards = new Map<number, ServedShard>();
  readonly #sessions = new SessionCache();
  readonly #userOf = new BoundedCache<string, string>(rememberedUsers);
  readonly #slots: FairSlots;
  readonly #poll: NodeJS.Timeout;
  #isPolling = false;

  constructor(private readonly parts: SchedulerParts) {
    this.#slots = new FairSlots(parts.maxTurns, parts.maxTurnsPerUser);
    this.#poll = setInterval(() => void this.#lookAround(), parts.pollMs);
  }

  /** Takes a shard on. Nobody who held it before can write any more once this has resolved. */
  async serve(lease: Lease): Promise<void> {
    const { shard } = lease;
    // What comes while the shard is being claimed is not among what the claim finds.
    const meanwhile: string[] = [];
    let hear = (agentIds: readonly string[]): void => void meanwhile.push(...agentIds);
    const unsubscribe = this.parts.feed.onWake(shard, (agentIds) => hear(agentIds));
    try {
      const waiting = await claimAgents(this.parts, lease);
      if (!lease.isValid()) throw new LeaseLostError('the lease has run out');
      this.#shards.set(shard, {
        lease,
        abort: new AbortController(),
        runs: new Map(),
        timers: new Map(),
        unsubscribe,
        isLeaving: false,
      });
      hear = (agentIds) => this.wake(shard, agentIds);
      this.wake(shard, [...waiting, ...meanwhile]);
    } catch (error) {
      unsubscribe();
      throw error;
    }
  }

  /** Something waits for these agents; those of shards that are not served here are somebody else's. */
  wake(shard: number, agentIds: readonly string[]): void {
    const served = this.#shards.get(shard);
    if (!served || served.isLeaving) return;
    for (const agentId of agentIds) this.#wakeOne(served, agentId);
  }

  /** Begins nothing new in a shard and resolves when nothing is under way, if need be by breaking it off. */
  async leave(lease: Lease): Promise<void> {
    const served = this.#shards.get(lease.shard);
    if (served?.lease !== lease) return;
    served.isLeaving = true;
    const ended = Promise.all([...served.runs.values()].map((run) => run.ended));
    await Promise.race([ended, timeout(this.parts.leaveTimeoutMs)]);
    this.drop(lease);
  }

  /** Breaks off everything under way in a shard that is somebody else's now. */
  drop(lease: Lease): void {
    const served = this.#shards.get(lease.shard);
    if (served?.lease !== lease) return;
    this.#shards.delete(lease.shard);
    served.isLeaving = true;
    served.unsubscribe();
    served.abort.abort(new LeaseLostError('the shard is served elsewhere'));
    for (const timer of served.timers.values()) clearTimeout(timer);
  }

  stop(): void {
    clearInterval(this.#poll);
  }

  get servedShards(): readonly number[] {
    return [...this.#shards.keys()];
  }

  #wakeOne(served: ServedShard, agentId: string): void {
    const run = served.runs.get(agentId);
    if (run) run.again = true;
    else this.#start(served, agentId);
  }

  #start(served: ServedShard, agentId: string): void {
    clearTimeout(served.timers.get(agentId));
    served.timers.delete(agentId);
    let hasEnded: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (hasEnded = resolve));
    const run: Run = { again: false, ended };
    served.runs.set(agentId, run);
    void this.#runUntilIdle(served, agentId, run).finally(hasEnded);
  }

  async #runUntilIdle(served: ServedShard, agentId: string, run: Run): Promise<void> {
    let end: RunEnd;
    do end = await this.#runOnce(served, agentId, run);
    while ((run.again || end.kind === 'more') && !served.isLeaving);
    // Nothing is awaited from here on: whoever wakes the agent either was heard above or starts a new run.
    served.runs.delete(agentId);
    if (end.kind === 'later') this.#runLater(served, agentId, end.at);
  }

  async #runOnce(served: ServedShard, agentId: string, run: Run): Promise<RunEnd> {
    const { now, log } = this.parts;
    try {
      const userId = await this.#findUser(agentId);
      if (userId === undefined) return { kind: 'idle' };
      await this.#slots.acquire(userId);
      try {
        run.again = false;
        return await this.#runNow(served, agentId);
      } finally {
        this.#slots.release(userId);
      }
    } catch (error) {
      this.#sessions.delete(agentId);
      if (served.isLeaving || error instanceof LeaseLostError) return { kind: 'idle' };
      log.warn({ err: error, agentId }, 'an agent cannot be run; trying again');
      if (toAppError(error).code === 'INTERNAL') await this.#countFailure(served.lease, agentId);
      return { kind: 'later', at: new Date(now().getTime() + retryAfterErrorMs) };
    }
  }

  /** What fails for no passing reason fails again; it is counted, so that it ends among the dead letters. */
  async #countFailure(lease: Lease, agentId: string): Promise<void> {
    const { now, log } = this.parts;
    try {
      const session = await this.#sessionOf(lease, agentId);
      const work = session?.state.current;
      if (work && !work.notBefore) await session.commit(fail(work, unexpected, now()));
    } catch (error) {
      this.#sessions.delete(agentId);
      log.warn({ err: error, agentId }, 'the failure cannot be counted');
    }
  }

  async #runNow(served: ServedShard, agentId: string): Promise<RunEnd> {
    if (served.isLeaving) return { kind: 'idle' };
    const session = await this.#sessionOf(served.lease, agentId);
    if (!session) return { kind: 'idle' };
    const { signal } = served.abort;
    return runAgent(session, this.parts, { signal, isLeaving: () => served.isLeaving });
  }

  /** An agent never changes its user. */
  async #findUser(agentId: string): Promise<string | undefined> {
    const known = this.#userOf.get(agentId);
    if (known !== undefined) return known;
    const userId = (await this.parts.agents.find(agentId))?.userId;
    if (userId !== undefined) this.#userOf.set(agentId, userId);
    return userId;
  }

  /** Undefined for an agent that is gone: what waits for it goes with it. */
  async #sessionOf(lease: Lease, agentId: string): Promise<AgentSession | undefined> {
    const agent = await this.parts.agents.find(agentId);
    if (!agent || agent.diedAt) return undefined;
    const known = this.#sessions.get(agentId);
    if (known?.lease === lease) {
      known.agent = agent;
      return known;
    }
    const session = await AgentSession.open(this.parts, agent, lease);
    this.#sessions.set(agentId, session);
    return session;
  }

  #runLater(served: ServedShard, agentId: string, at: Date): void {
    if (served.isLeaving) return;
    const waitMs = Math.max(0, at.getTime() - this.parts.now().getTime());
    const timer = setTimeout(() => {
      served.timers.delete(agentId);
      this.#wakeOne(served, agentId);
    }, waitMs);
    served.timers.set(agentId, timer);
  }

  /** Hints may get lost; this finds what they were about. */
  async #lookAround(): Promise<void> {
    if (this.#isPolling || this.#shards.size === 0) return;
    this.#isPolling = true;
    try {
      for (const { _id, shard } of await this.parts.inbox.waitingAgents(this.servedShards)) {
        const served = this.#shards.get(shard);
        if (!served || served.isLeaving) continue;
        if (!served.runs.has(_id) && !served.timers.has(_id)) this.#start(served, _id);
      }
    } catch (error) {
      this.parts.log.warn({ err: error }, 'cannot look into the inboxes; trying on');
    } finally {
      this.#isPolling = false;
    }
  }
}

function timeout(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs).unref());
}

import { toAppError } from '@daycare/api';
import { KeyedSlots, type Slot } from '@daycare/async';
import { FairSemaphore } from '../../shared/concurrency/fair-semaphore';
import { failWork } from '../domain/failures/after-failure';
import { TurnInterrupts } from '../interrupts/turn-interrupts';
import type { Lease } from '../leases/lease';
import type { AgentSessions } from '../sessions/agent-sessions';
import { LeaseLostError } from '../sessions/entry-writer';
import type { RunAgent, RunEnd } from './run-agent';
import type { Run, ServedShard } from './served-shard';

export interface AgentRunsDeps {
  readonly sessions: AgentSessions;
  readonly runAgent: RunAgent;
  /** How many agents run turns concurrently in this process. */
  readonly maxTurns: number;
  /** How many of these agents may belong to one user and its subusers. */
  readonly maxTurnsPerUser: number;
  readonly log: { warn(fields: object, text: string): void };
  readonly now: () => Date;
}

const retryAfterErrorMs = 1_000;
const unexpectedReason = 'something unexpected happened';
const idle: RunEnd = { kind: 'idle' };

/** Runs the agents of served shards: one run at a time per agent, a bounded number of agents concurrently. */
export class AgentRuns {
  readonly #slots: FairSemaphore;
  /** One fewer than an owner's slots (but at least one), so that guests cannot keep the owner waiting. */
  readonly #guestSlots: KeyedSlots;

  constructor(private readonly deps: AgentRunsDeps) {
    this.#slots = new FairSemaphore(deps.maxTurns, deps.maxTurnsPerUser);
    this.#guestSlots = new KeyedSlots(Math.max(1, deps.maxTurnsPerUser - 1));
  }

  /** Runs an agent that may have new items, or makes the run that is under way read them. */
  wake(served: ServedShard, agentId: string): void {
    const run = served.runs.get(agentId);
    if (run) run.mayHaveNewItems = true;
    else this.start(served, agentId);
  }

  /** Reports whether an agent may run now: it is not waiting for a retry, or the retry is due. */
  isDue(served: ServedShard, agentId: string): boolean {
    const retry = served.timers.get(agentId);
    // Compares with the clock, because a timer fires late after the machine was suspended.
    return !retry || retry.at <= this.deps.now();
  }

  /** Starts a run of an agent that has none. */
  start(served: ServedShard, agentId: string): void {
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
    while ((run.mayHaveNewItems || end.kind === 'more') && !served.isStopping);
    // No await from here on: a wake-up either was noticed above or starts a new run.
    served.runs.delete(agentId);
    if (end.kind === 'later') this.#runLater(served, agentId, end.at);
  }

  async #runOnce(served: ServedShard, agentId: string, run: Run): Promise<RunEnd> {
    const { sessions, now, log } = this.deps;
    try {
      const payer = await sessions.findPayer(agentId);
      if (payer === undefined) return idle;
      const guestSlot = this.#guestSlots.slotFor(payer);
      await this.#slots.acquire(payer);
      try {
        run.mayHaveNewItems = false;
        run.isInSlot = true;
        return await this.#runInSlot(served, agentId, run, guestSlot);
      } finally {
        guestSlot.release();
        run.isInSlot = false;
        this.#slots.release(payer);
      }
    } catch (error) {
      sessions.discard(agentId);
      if (served.isStopping || error instanceof LeaseLostError) return idle;
      log.warn({ err: error, agentId }, 'agent run failed; retrying');
      if (toAppError(error).code === 'INTERNAL') await this.#countFailure(served.lease, agentId);
      return { kind: 'later', at: new Date(now().getTime() + retryAfterErrorMs) };
    }
  }

  async #runInSlot(
    served: ServedShard,
    agentId: string,
    run: Run,
    { tryTake: tryTakeGuestSlot }: Slot,
  ): Promise<RunEnd> {
    const { sessions, runAgent } = this.deps;
    if (served.isStopping) return idle;
    const session = await sessions.open(agentId, served.lease);
    if (!session) return idle;
    const { signal } = served.abort;
    const { interrupts } = run;
    const isStopping = (): boolean => served.isStopping;
    const end = await runAgent(session, { signal, interrupts, isStopping, tryTakeGuestSlot });
    sessions.remeasure(session);
    return end;
  }

  /** An unexpected failure is likely to recur, so it is counted: after too many the work becomes a dead letter. */
  async #countFailure(lease: Lease, agentId: string): Promise<void> {
    const { sessions, now, log } = this.deps;
    try {
      const session = await sessions.open(agentId, lease);
      const work = session?.state.current;
      if (work && !work.notBefore) await session.commit(failWork(work, unexpectedReason, now()));
    } catch (error) {
      sessions.discard(agentId);
      log.warn(
        { err: error, agentId },
        'cannot record the failure of an agent run; retrying the run',
      );
    }
  }

  #runLater(served: ServedShard, agentId: string, at: Date): void {
    if (served.isStopping) return;
    const waitMs = Math.max(0, at.getTime() - this.deps.now().getTime());
    const timer = setTimeout(() => {
      served.timers.delete(agentId);
      this.wake(served, agentId);
    }, waitMs);
    served.timers.set(agentId, { timer, at });
  }
}

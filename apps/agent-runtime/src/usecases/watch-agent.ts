import { AppError, FieldChecks } from '@daycare/errors';
import type { Agent } from '../domain/agent';
import type { HistoryRecord } from '../domain/history-record';
import type { AgentStore } from '../store/agent-store';
import type { HistoryStore } from '../store/history-store';
import { findVisible } from './visible-agent';

export interface AgentDelta {
  readonly kind: 'delta';
  readonly text: string;
  readonly attempt: number;
  /** Of the newest record when it was written: the one it is a piece of follows. */
  readonly afterSequence: number;
}

export type WatchEvent = { readonly kind: 'record'; readonly record: HistoryRecord } | AgentDelta;

export interface WatchDeps {
  readonly agents: AgentStore;
  readonly history: HistoryStore;
  /** Calls back with hints that there is more; the answer ends that. */
  readonly listen: (
    agentId: string,
    listener: (event: { readonly kind: 'advanced' } | AgentDelta) => void,
  ) => () => void;
  /** How often the history is looked at although no hint came. */
  readonly pollMs: number;
  /** Aborted when the service stops: watchers then go on at another replica. */
  readonly stopping: AbortSignal;
}

export interface WatchCall {
  readonly userId: string;
  readonly agentId: string;
  readonly afterSequence: number;
  readonly signal: AbortSignal;
  /** Throws when the caller is not let in any more. */
  readonly recheck: () => Promise<void>;
}

const pageSize = 200;
const mostDeltas = 1_000;

/**
 * An agent's records from a sequence on, each once and in order, and what its model is writing right
 * now. Records are always read from the history: hints only say when to look, so losing one costs time
 * and nothing else, and a slow reader holds no more than a page.
 */
export function makeWatchAgent(deps: WatchDeps) {
  return async function* watch(call: WatchCall): AsyncGenerator<WatchEvent> {
    const checks = new FieldChecks().id(call.agentId, 'agent_id');
    checks.require(call.afterSequence >= 0, 'after_sequence', 'must not be negative').done();
    const agent = await findVisible(deps.agents, call.userId, call.agentId);
    const signal = AbortSignal.any([call.signal, deps.stopping]);
    const hints = new Hints(signal);
    const stopListening = deps.listen(agent.id, (event) => hints.add(event));
    try {
      yield* follow(deps, agent, { ...call, signal }, hints);
      if (deps.stopping.aborted) throw new AppError('UNAVAILABLE', 'This replica is stopping');
    } finally {
      stopListening();
    }
  };
}

async function* follow(
  deps: WatchDeps,
  agent: Agent,
  { afterSequence, signal, recheck }: WatchCall,
  hints: Hints,
): AsyncGenerator<WatchEvent> {
  let after = afterSequence;
  for (let why: Awakening = 'advanced'; !signal.aborted; why = await hints.wait(deps.pollMs)) {
    await recheck();
    const deltas = hints.takeDeltas();
    if (why !== 'delta' || deltas.some((delta) => delta.afterSequence > after)) {
      for await (const record of readOn(deps.history, agent, after)) {
        yield { kind: 'record', record };
        after = record.sequence;
      }
    }
    // All records that they follow have been read; of what is recorded by now, they are in the record.
    yield* deltas.filter((delta) => delta.afterSequence === after);
    if (why === 'poll' && (await hasDied(deps, agent))) return;
  }
}

async function* readOn(
  history: HistoryStore,
  agent: Agent,
  afterSequence: number,
): AsyncGenerator<HistoryRecord> {
  let after = afterSequence;
  for (;;) {
    const { records, isAll } = await history.readPage(agent, { after, limit: pageSize });
    yield* records;
    const last = records.at(-1);
    if (!last || isAll) return;
    after = last.sequence;
  }
}

async function hasDied({ agents }: WatchDeps, { id }: Agent): Promise<boolean> {
  const agent = await agents.find(id);
  return agent?.diedAt !== undefined || agent === undefined;
}

/** Why a watcher looks again: there is more, somebody is writing, or it is time. */
type Awakening = 'advanced' | 'delta' | 'poll';

/** Collects hints while the watcher is busy. */
class Hints {
  #deltas: AgentDelta[] = [];
  #hasAdvanced = false;
  #wake: (() => void) | undefined;

  constructor(signal: AbortSignal) {
    signal.addEventListener('abort', () => this.#wake?.(), { once: true });
  }

  add(event: { readonly kind: 'advanced' } | AgentDelta): void {
    if (event.kind === 'advanced') {
      this.#hasAdvanced = true;
      this.#deltas = [];
    } else if (this.#deltas.length < mostDeltas) this.#deltas.push(event);
    this.#wake?.();
  }

  takeDeltas(): AgentDelta[] {
    const deltas = this.#deltas;
    this.#deltas = [];
    return deltas;
  }

  async wait(mostMs: number): Promise<Awakening> {
    if (!this.#hasAdvanced && this.#deltas.length === 0) await this.#sleep(mostMs);
    const hasAdvanced = this.#hasAdvanced;
    this.#hasAdvanced = false;
    if (hasAdvanced) return 'advanced';
    return this.#deltas.length > 0 ? 'delta' : 'poll';
  }

  async #sleep(mostMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((wake) => {
      this.#wake = wake;
      timer = setTimeout(wake, mostMs);
    });
    clearTimeout(timer);
    this.#wake = undefined;
  }
}

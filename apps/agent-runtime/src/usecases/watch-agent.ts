import { FieldChecks } from '@daycare/errors';
import type { Agent } from '../domain/agent';
import type { HistoryRecord } from '../domain/history-record';
import type { AgentStore } from '../store/agent-store';
import type { HistoryStore } from '../store/history-store';
import { findVisible } from './visible-agent';

export interface AgentDelta {
  readonly kind: 'delta';
  readonly text: string;
  readonly attempt: number;
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
}

export interface WatchCall {
  readonly userId: string;
  readonly agentId: string;
  readonly afterSequence: number;
  readonly signal: AbortSignal;
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
    const hints = new Hints(call.signal);
    const stopListening = deps.listen(agent.id, (event) => hints.add(event));
    try {
      yield* follow(deps, agent, call, hints);
    } finally {
      stopListening();
    }
  };
}

async function* follow(
  deps: WatchDeps,
  agent: Agent,
  { afterSequence, signal }: WatchCall,
  hints: Hints,
): AsyncGenerator<WatchEvent> {
  let after = afterSequence;
  while (!signal.aborted) {
    const deltas = hints.take();
    const records = await deps.history.listRecords(agent, { after, limit: pageSize });
    // What was being written before these records were is in them.
    if (records.length === 0) yield* deltas;
    for (const record of records) {
      yield { kind: 'record', record };
      after = record.sequence;
    }
    if (records.length > 0) continue;
    if (await hasDied(deps, agent)) return;
    await hints.wait(deps.pollMs);
  }
}

async function hasDied({ agents }: WatchDeps, { id }: Agent): Promise<boolean> {
  const agent = await agents.find(id);
  return agent?.diedAt !== undefined || agent === undefined;
}

/** Collects hints while the watcher is busy. */
class Hints {
  #deltas: AgentDelta[] = [];
  #hasAny = false;
  #wake: (() => void) | undefined;

  constructor(signal: AbortSignal) {
    signal.addEventListener('abort', () => this.#wake?.(), { once: true });
  }

  add(event: { readonly kind: 'advanced' } | AgentDelta): void {
    this.#hasAny = true;
    if (event.kind === 'delta' && this.#deltas.length < mostDeltas) this.#deltas.push(event);
    this.#wake?.();
  }

  take(): AgentDelta[] {
    const deltas = this.#deltas;
    this.#deltas = [];
    this.#hasAny = false;
    return deltas;
  }

  async wait(mostMs: number): Promise<void> {
    if (this.#hasAny) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((wake) => {
      this.#wake = wake;
      timer = setTimeout(wake, mostMs);
    });
    clearTimeout(timer);
    this.#wake = undefined;
  }
}

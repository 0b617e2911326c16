import { mergeSignals } from '@daycare/async';
import { AppError, FieldChecks } from '@daycare/api';
import type { Agent } from '../domain/agent';
import type { HistoryRecord } from '../domain/context/history-record';
import type { AgentStore } from '../store/agent-store';
import { findVisibleAgent } from './visible-agent';
import { WatchHints } from './watch-hints';
import { WatchedAgents, type AgentProgress, type WatchedAgentsDeps } from './watched-agents';

export type WatchEvent =
  | { readonly kind: 'record'; readonly record: HistoryRecord }
  | AgentProgress;

export interface WatchDeps extends WatchedAgentsDeps {
  readonly agents: AgentStore;
  /** Aborted when the service stops; watchers then continue on another replica. */
  readonly stopping: AbortSignal;
}

export interface WatchCall {
  readonly userId: string;
  readonly agentId: string;
  readonly afterSequence: number;
  readonly signal: AbortSignal;
  /** Throws when the caller is no longer authorised. */
  readonly recheck: () => Promise<void>;
}

/**
 * Streams an agent's records after a sequence number, each once and in order, and the agent's live progress. Hints
 * carry the records; the history is read at the start and whenever a record is missing, so a lost hint only delays a
 * record. A slow client costs no more memory than a page and a limited number of hints.
 */
export function makeWatchAgent(deps: WatchDeps) {
  const watched = new WatchedAgents(deps);
  return async function* watch(call: WatchCall): AsyncGenerator<WatchEvent> {
    const checks = new FieldChecks().id(call.agentId, 'agent_id');
    checks.require(call.afterSequence >= 0, 'after_sequence', 'must not be negative').done();
    const agent = await findVisibleAgent(deps.agents, call.userId, call.agentId);
    const { signal, release } = mergeSignals(call.signal, deps.stopping);
    const hints = new WatchHints(signal);
    const unsubscribe = watched.join(agent, (hint) => hints.add(hint));
    try {
      yield* follow(watched, agent, { ...call, signal }, hints);
      if (deps.stopping.aborted)
        throw new AppError('UNAVAILABLE', 'This replica is stopping; try again');
    } finally {
      unsubscribe();
      release();
    }
  };
}

async function* follow(
  watched: WatchedAgents,
  agent: Agent,
  { afterSequence, signal, recheck }: WatchCall,
  hints: WatchHints,
): AsyncGenerator<WatchEvent> {
  let after = afterSequence;
  for (let mustRead = true; ; mustRead = false) {
    if (!mustRead) await hints.wait();
    if (signal.aborted) return;
    await recheck();
    const { hasDied } = hints;
    const progress = hints.takeProgress();
    for await (const record of recordsAfter(watched, agent, after, {
      pushed: hints.takeFollowing(after),
      mustRead: (last) =>
        mustRead ||
        hasDied ||
        hints.lastSequence > last ||
        progress.some((each) => each.afterSequence > last),
    })) {
      yield { kind: 'record', record };
      after = record.sequence;
    }
    // All earlier records have been sent; progress towards a record that already exists is outdated.
    yield* progress.filter((each) => each.afterSequence === after);
    if (hasDied) return;
  }
}

interface Source {
  /** Records that came with hints, without a gap. */
  readonly pushed: readonly HistoryRecord[];
  /** Reports whether the history may have records after this sequence number. */
  readonly mustRead: (last: number) => boolean;
}

async function* recordsAfter(
  watched: WatchedAgents,
  agent: Agent,
  afterSequence: number,
  { pushed, mustRead }: Source,
): AsyncGenerator<HistoryRecord> {
  yield* pushed;
  let after = pushed.at(-1)?.sequence ?? afterSequence;
  while (mustRead(after)) {
    const { records, isLastPage } = await watched.readAfter(agent, after);
    yield* records;
    const last = records.at(-1);
    if (!last || isLastPage) return;
    after = last.sequence;
  }
}

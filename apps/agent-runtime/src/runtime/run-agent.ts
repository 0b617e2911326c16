import type { CurrentWork } from '../domain/agent-state';
import type { InboxItem } from '../domain/inbox-item';
import { mergeLimits, nextWork } from '../domain/merge-messages';
import { begin, tryAgain, type ContextLimits } from '../domain/turn-steps';
import type { InboxStore } from '../store/inbox-store';
import type { AgentSession } from './agent-session';
import type { Settle } from './settle-work';
import { commit, takeTurn, type TurnParts } from './take-turn';

export interface RunParts extends TurnParts {
  readonly inbox: InboxStore;
  readonly settle: Settle;
  readonly limits: ContextLimits & TurnParts['limits'];
}

/** Aborted when the lease is lost; `isLeaving` when the agent is to be left at the end of an item. */
export interface RunControl {
  readonly signal: AbortSignal;
  readonly isLeaving: () => boolean;
}

/** Why the run ended: nothing waits, something waits for its time, or others are to have a turn first. */
export type RunEnd =
  | { readonly kind: 'idle' }
  | { readonly kind: 'later'; readonly at: Date }
  | { readonly kind: 'more' };

const idle: RunEnd = { kind: 'idle' };
/** A long inbox must not keep other agents waiting. */
const itemsPerRun = 4;

/**
 * Handles what waits for an agent, one item after the other, until nothing does or it has had its share.
 * Every step is stored before the next is taken, so that whoever goes on after a crash goes on from there.
 */
export async function runAgent(
  session: AgentSession,
  parts: RunParts,
  control: RunControl,
): Promise<RunEnd> {
  await parts.settle(session);
  for (let handled = 0; handled < itemsPerRun; handled += 1) {
    if (control.isLeaving()) return idle;
    const { work, isLast } = await takeInHand(session, parts);
    if (work === 'nothing') return idle;
    if (work !== 'done') {
      if (work.notBefore) return { kind: 'later', at: work.notBefore };
      await takeTurn(session, parts, control.signal);
    }
    await parts.settle(session);
    const { current } = session.state;
    if (current?.notBefore) return { kind: 'later', at: current.notBefore };
    if (isLast && !current) return idle;
  }
  return { kind: 'more' };
}

interface InHand {
  /** What is to be worked on now; `done` when recording it was all there was to do. */
  readonly work: CurrentWork | 'done' | 'nothing';
  /** Nothing else waited when it was taken; whoever puts more says so. */
  readonly isLast: boolean;
}

async function takeInHand(session: AgentSession, parts: RunParts): Promise<InHand> {
  const { current } = session.state;
  if (!current) return takeNext(session, parts);
  if (!current.notBefore || current.notBefore > parts.now())
    return { work: current, isLast: false };
  await commit(session, parts, tryAgain(current));
  return { work: session.state.current ?? 'done', isLast: false };
}

async function takeNext(session: AgentSession, parts: RunParts): Promise<InHand> {
  const { agent, state } = session;
  const waiting = await parts.inbox.next(agent, mergeLimits.items);
  const next = nextWork(waiting);
  if (!isNotEmpty(next)) return { work: 'nothing', isLast: true };
  await commit(session, parts, begin(state, next, parts.limits, agent));
  const isLast = next.length === waiting.length && waiting.length < mergeLimits.items;
  return { work: session.state.current ?? 'done', isLast };
}

function isNotEmpty(items: readonly InboxItem[]): items is readonly [InboxItem, ...InboxItem[]] {
  return items.length > 0;
}

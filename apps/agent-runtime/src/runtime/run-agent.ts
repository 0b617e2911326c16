import { AppError } from '@daycare/errors';
import type { CurrentWork } from '../domain/agent-state';
import { promptOf } from '../domain/descriptor-kinds';
import type { AssistantMessageEvent } from '../domain/history-record';
import type { InboxItem } from '../domain/inbox-item';
import { mergeLimits, nextWork } from '../domain/merge-messages';
import { begin, fail, finish, tryAgain, type ContextLimits } from '../domain/turn-steps';
import type { InboxStore } from '../store/inbox-store';
import type { AgentSession } from './agent-session';
import type { LiveFeed } from './live-feed';
import type { ModelProvider } from './model-provider';
import type { Settle } from './settle-work';

export interface RunParts {
  readonly inbox: InboxStore;
  readonly settle: Settle;
  readonly provider: ModelProvider;
  readonly feed: Pick<LiveFeed, 'tell'>;
  readonly limits: ContextLimits;
  readonly now: () => Date;
  readonly log: { warn(fields: object, text: string): void };
}

/** Aborted when the lease is lost; `isLeaving` when the agent is to be left at the end of an item. */
export interface RunControl {
  readonly signal: AbortSignal;
  readonly isLeaving: () => boolean;
}

/** Why the run ended: nothing waits, or something waits for its time. */
export type RunEnd = { readonly kind: 'idle' } | { readonly kind: 'later'; readonly at: Date };

const idle: RunEnd = { kind: 'idle' };

/**
 * Handles what waits for an agent, one item after the other, until nothing does. Every step is stored
 * before the next is taken, so that whoever goes on after a crash goes on from there.
 */
export async function runAgent(
  session: AgentSession,
  parts: RunParts,
  control: RunControl,
): Promise<RunEnd> {
  await parts.settle(session);
  for (;;) {
    if (control.isLeaving()) return idle;
    const work = await takeInHand(session, parts);
    if (work === 'nothing') return idle;
    if (work !== 'done') {
      if (work.notBefore) return { kind: 'later', at: work.notBefore };
      await takeTurn(session, work, parts, control);
    }
    await parts.settle(session);
  }
}

/** What is to be worked on now; `done` when recording it was all there was to do. */
async function takeInHand(
  session: AgentSession,
  parts: RunParts,
): Promise<CurrentWork | 'done' | 'nothing'> {
  const { current } = session.state;
  if (!current) return takeNext(session, parts);
  if (!current.notBefore || current.notBefore > parts.now()) return current;
  await commit(session, parts, tryAgain(current));
  return session.state.current ?? 'done';
}

async function takeNext(
  session: AgentSession,
  parts: RunParts,
): Promise<CurrentWork | 'done' | 'nothing'> {
  const { agent, state } = session;
  const waiting = nextWork(await parts.inbox.next(agent, mergeLimits.items));
  if (!isNotEmpty(waiting)) return 'nothing';
  await commit(session, parts, begin(state, waiting, parts.limits, agent.foreground));
  return session.state.current ?? 'done';
}

async function takeTurn(
  session: AgentSession,
  work: CurrentWork,
  parts: RunParts,
  { signal }: RunControl,
): Promise<void> {
  let answer: AssistantMessageEvent;
  try {
    answer = await think(session, work, parts, signal);
  } catch (error) {
    // Whoever holds the lease now will take the turn.
    if (signal.aborted) throw error;
    const { id: agentId } = session.agent;
    parts.log.warn({ err: error, agentId, failures: work.failures + 1 }, 'a turn failed');
    return commit(session, parts, fail(work, reasonOf(error), parts.now()));
  }
  await commit(session, parts, finish(work, answer));
}

async function think(
  { agent, context, state: { lastSequence: afterSequence } }: AgentSession,
  { replyTarget, failures, interruptions }: CurrentWork,
  { provider, feed }: RunParts,
  signal: AbortSignal,
): Promise<AssistantMessageEvent> {
  const attempt = failures + interruptions + 1;
  const { text, toolCalls, usage } = await provider.answer({
    systemPrompt: promptOf(agent.descriptor),
    context,
    signal,
    onDelta: (text) => feed.tell(agent.id, { kind: 'delta', text, attempt, afterSequence }),
  });
  const { name, model } = provider;
  return { kind: 'assistant_message', text, toolCalls, usage, provider: name, model, replyTarget };
}

async function commit(
  session: AgentSession,
  { feed }: RunParts,
  step: Parameters<AgentSession['commit']>[0],
): Promise<void> {
  await session.commit(step);
  if (step.events.length > 0) feed.tell(session.agent.id, { kind: 'advanced' });
}

function isNotEmpty(items: readonly InboxItem[]): items is readonly [InboxItem, ...InboxItem[]] {
  return items.length > 0;
}

/** What a person may read; the log has the rest. */
function reasonOf(error: unknown): string {
  return error instanceof AppError ? error.message : 'something went wrong while I worked on it';
}

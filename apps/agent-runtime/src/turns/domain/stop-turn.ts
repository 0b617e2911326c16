import type { AgentStep, CurrentWork } from '../../agents';
import {
  droppedNote,
  type InboxItem,
  replacedNote,
  stoppedNote,
  timeLimitNote,
  toolLimitNote,
} from '../../messaging';

/** Ends the turn, because it has had as many rounds of tool calls as it may. */
export function stopAtToolLimit(work: CurrentWork): AgentStep {
  return leaveUnfinished(work, toolLimitNote(work.iterations));
}

/** Ends the turn, because it has taken as long as a turn may. */
export function stopAtTimeLimit(work: CurrentWork): AgentStep {
  return leaveUnfinished(work, timeLimitNote(work.spentMs));
}

/**
 * The event that ends a turn in progress: a stop or a reset by the person, the end of the agent, or the removal of its
 * messages from the inbox.
 */
export type Interruption =
  | { readonly kind: 'stop'; readonly messageId: string }
  | { readonly kind: 'reset' }
  | { readonly kind: 'ended' }
  /**
   * These messages were removed from the inbox: they are no longer allowed, were replaced by a newer run, or belong to
   * a deleted cron.
   */
  | { readonly kind: 'dropped'; readonly messageIds: readonly string[] };

/**
 * Returns the event that ends this work, if there is one: the oldest stop or reset that arrived after the work had
 * begun.
 */
export function interruptionOf(
  { earlierControls = [] }: CurrentWork,
  controls: readonly InboxItem[],
): Interruption | undefined {
  const control = controls.find(({ messageId }) => !earlierControls.includes(messageId));
  if (!control) return undefined;
  const { kind, messageId } = control;
  return kind === 'stop' ? { kind, messageId } : { kind: 'reset' };
}

/**
 * Ends the work: its items are neither retried nor turned into dead letters; if only some of them were dropped, the
 * others stay in the inbox. A reset that ends the work stays in the inbox, too, and is handled after the person's
 * earlier messages.
 */
export function stopWork(work: CurrentWork, interruption: Interruption): AgentStep {
  if (interruption.kind === 'dropped') return dropWork(work, interruption.messageIds);
  const stopped = leaveUnfinished(work, stoppedNote());
  const stopIds = interruption.kind === 'stop' ? [interruption.messageId] : [];
  const messageIds = [...work.messageIds, ...stopIds];
  const unfinished = 'it was stopped';
  return {
    ...stopped,
    settled: { messageIds, dead: undefined, unfinished, stoppedTurn: work.turn },
  };
}

/** Returns the interruption of work whose items were removed from the inbox; undefined if none were. */
export function droppedOf(
  { messageIds }: CurrentWork,
  waiting: readonly Pick<InboxItem, 'messageId'>[],
): Interruption | undefined {
  const ids = new Set(waiting.map(({ messageId }) => messageId));
  const dropped = messageIds.filter((id) => !ids.has(id));
  return dropped.length > 0 ? { kind: 'dropped', messageIds: dropped } : undefined;
}

/**
 * Ends work some of whose items were removed; the other items stay in the inbox and are handled again.
 */
function dropWork(work: CurrentWork, messageIds: readonly string[]): AgentStep {
  // A schedule's prompt is dropped for a newer run. It is also dropped with its cron, whose runs are then no longer
  // shown.
  const [unfinished, note] =
    work.startedBy.source === 'schedule'
      ? ['it was replaced by a newer run', replacedNote()]
      : ['it was no longer allowed', droppedNote()];
  return {
    ...leaveUnfinished(work, note),
    settled: { messageIds, dead: undefined, unfinished, stoppedTurn: work.turn },
  };
}

/** Ends the work half-way, with a note; its items leave the inbox. */
export function leaveUnfinished({ messageIds }: CurrentWork, text: string): AgentStep {
  return {
    events: [{ kind: 'note', text, endsWork: true }],
    current: undefined,
    settled: { messageIds, dead: undefined, unfinished: text },
  };
}

import type { Agent, ContextMessage, EndedTurn, InboxSettlement } from '../../../agents';

/**
 * Returns the outcome of a turn that a schedule started; undefined for any other turn. `context` is the context at
 * the end of the turn.
 */
export function endedRunOf(
  agent: Agent,
  { scheduled, messageIds, dead, unfinished, stoppedTurn }: InboxSettlement,
  context: readonly ContextMessage[],
): EndedTurn | undefined {
  if (!scheduled) return undefined;
  const common = { agent, messageIds, scheduled };
  if (stoppedTurn !== undefined)
    return { ...common, outcome: 'stopped', reason: unfinished, answer: '' };
  const reason = dead?.reason ?? unfinished;
  return reason === undefined
    ? { ...common, outcome: 'answered', reason, answer: answerIn(context) }
    : { ...common, outcome: 'failed', reason, answer: '' };
}

/** Returns the answer at the end of a context, joined if it was truncated and then continued. */
function answerIn(context: readonly ContextMessage[]): string {
  const first = context.findLastIndex(({ role }) => role !== 'assistant') + 1;
  return context
    .slice(first)
    .map((message) => (message.role === 'assistant' ? message.text : ''))
    .join('');
}

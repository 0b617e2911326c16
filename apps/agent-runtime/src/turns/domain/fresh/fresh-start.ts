import type { Agent, AgentState, HistoryEvent, UserMessageEvent } from '../../../agents';
import { type InboxItem, isFromSchedule } from '../../../messaging';

export const freshStart: HistoryEvent = { kind: 'start' };

/** The state of an empty context, right after a start. */
export const emptyContext: Pick<
  AgentState,
  'contextTokens' | 'contextIsPrivate' | 'contextWriter'
> = {
  contextTokens: 0,
  contextIsPrivate: false,
};

/**
 * Reports whether the context has to be cleared before this item. Each run of a schedule that has its own agent starts
 * with an empty context, so that later runs cost no more than the first. If a schedule names an existing agent, that
 * agent keeps its context.
 */
export function startsAfresh(
  { contextFrom, lastSequence }: Pick<AgentState, 'contextFrom' | 'lastSequence'>,
  item: InboxItem,
  { kind }: Pick<Agent, 'kind'>,
): boolean {
  if (kind !== 'cron' && kind !== 'heartbeat') return false;
  return (
    item.kind === 'system_message' && isFromSchedule(item.origin) && lastSequence > contextFrom
  );
}

/** Returns a note with a message's text and the names of its files: the person sees it, but the model does not. */
export function noteOf({ originName, origin, text, files }: UserMessageEvent): HistoryEvent {
  const fileLines = files.map(({ name, id }) => `[file ${name}, id ${id}]`);
  return { kind: 'note', text: [`${originName ?? origin}: ${text}`, ...fileLines].join('\n') };
}

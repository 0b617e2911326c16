import type { Agent, AgentState, HistoryEvent, UserMessageEvent } from '../../../agents';
import { type InboxItem, isFromSchedule } from '../../../messaging';

export const freshStart: HistoryEvent = { kind: 'start' };

/** What an agent has in its context right after a start. */
export const noContext: Pick<AgentState, 'contextTokens' | 'contextIsPrivate' | 'contextWriter'> = {
  contextTokens: 0,
  contextIsPrivate: false,
};

/**
 * Whether the context starts over with this item: each run of a schedule does so at the agent that belongs to it, so
 * that the last run costs as much as the first. An agent that the schedule names keeps its context.
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

/** The person sees it; the context does not hold it. */
export function noteOf({ originName, origin, text, files }: UserMessageEvent): HistoryEvent {
  const named = files.map(({ name, id }) => `[file ${name}, id ${id}]`);
  return { kind: 'note', text: [`${originName ?? origin}: ${text}`, ...named].join('\n') };
}

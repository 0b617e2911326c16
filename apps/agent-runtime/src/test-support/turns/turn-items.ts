import type { AgentStep } from '../../agents/domain/agent-state';
import type { CurrentWork } from '../../agents/domain/current-work';
import { firstEntry, nextEntry, type HistoryEntry } from '../../agents/domain/history-entry';
import type { ToolResultEvent } from '../../agents/domain/context/history-record';
import type { InboxItem, SystemMessageItem } from '../../messaging/domain/inbox-item';
import { beginWork } from '../../turns/domain/begin-work';

export const start = new Date('2026-01-01T00:00:00Z');
export const acceptance = { agentId: 'a1', userId: 'ada', messageId: 'm', acceptedAt: start };
/** The first history entry of one of Ada's agents, before any work. */
export const initialEntry = firstEntry({ id: 'a1', userId: 'ada' }, start);

export const personItem: InboxItem = {
  ...acceptance,
  kind: 'message',
  text: 'hi',
  files: [],
  replyTarget: '',
};
/** A message from Bob, a friend of Ada's. */
export const mail = (fields: Partial<SystemMessageItem> = {}): InboxItem => ({
  ...acceptance,
  kind: 'system_message',
  text: 'hello',
  origin: 'friend:otter7',
  silent: false,
  hops: 0,
  senderUserId: 'bob',
  ...fields,
});
/** A message from another agent of Ada's. */
export const ownMail = (fields: Partial<SystemMessageItem> = {}): InboxItem =>
  mail({ origin: 'a2', sender: { agentId: 'a2', userId: 'ada' }, senderUserId: 'ada', ...fields });
export const reset = (message = ''): InboxItem => ({ ...acceptance, kind: 'reset', message });

/** The entry that follows when the agent takes a step. */
export const take = (before: HistoryEntry, step: AgentStep, at = start): HistoryEntry =>
  nextEntry(before, step, { holder: 'r1', fence: 1 }, at);
/** The entry with which the agent starts to work on an item. */
export const begin = (
  item: InboxItem,
  before = initialEntry,
  ownerUserId?: string,
): HistoryEntry => {
  const limits = { emergencyContextLimit: 1_000 };
  return take(
    before,
    beginWork(before.state, [item], limits, { kind: 'user', foreground: true, ownerUserId }),
  );
};
export const workOf = ({ state }: HistoryEntry): CurrentWork => state.current!;
/** The entry with which the agent finishes its work. */
export const finished = (entry: HistoryEntry): HistoryEntry =>
  take(entry, { events: [], current: undefined });
export const result = (overrides: Partial<ToolResultEvent> = {}): ToolResultEvent => ({
  kind: 'tool_result',
  toolCallId: 'c1',
  toolName: 'file_read',
  resultJson: '{}',
  isError: false,
  truncated: false,
  ...overrides,
});

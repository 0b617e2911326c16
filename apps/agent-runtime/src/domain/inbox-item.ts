import type { FileReference } from './history-record';

/** Something an agent has to deal with, in the order of acceptance. */
export type InboxItem = InboxBase &
  (MessageItem | SystemMessageItem | PermissionDecisionItem | ResetItem);

export type InboxItemKind = InboxItem['kind'];

interface InboxBase {
  readonly agentId: string;
  readonly userId: string;
  /** Of what caused the item; an agent gets each only once. */
  readonly messageId: string;
  readonly acceptedAt: Date;
}

/** A person's words through a connector. */
export interface MessageItem {
  readonly kind: 'message';
  readonly text: string;
  readonly files: readonly FileReference[];
  readonly replyTarget: string;
}

/** From another agent, a friend, a signal, a channel, a schedule or the system. */
export interface SystemMessageItem {
  readonly kind: 'system_message';
  readonly text: string;
  readonly origin: string;
  readonly silent: boolean;
  /** Who hears if it cannot be handled; undefined when no agent sent it. */
  readonly sender?: AgentAddress;
  /** How many agents in a row have caused it. */
  readonly hops: number;
}

export interface AgentAddress {
  readonly agentId: string;
  readonly userId: string;
}

/** What a person decided about a request of this agent. */
export interface PermissionDecisionItem {
  readonly kind: 'permission_decision';
  readonly permissionRequestId: string;
  readonly permission: string;
  readonly granted: boolean;
  /** Where the agent's context began when it asked; one that was reset since has no use for this. */
  readonly contextFrom: number;
}

export interface ResetItem {
  readonly kind: 'reset';
  readonly message: string;
}

/** What of an item is shown where items are listed. */
export function textOf(item: InboxItem): string {
  switch (item.kind) {
    case 'message':
    case 'system_message':
      return item.text;
    case 'reset':
      return item.message;
    case 'permission_decision':
      return `${item.permission}: ${item.granted ? 'granted' : 'denied'}`;
  }
}

/** Whether a schedule speaks, whose words the user's own agents have written. */
export function isOfSchedule(origin: string): boolean {
  return origin === 'heartbeat' || origin.startsWith('cron:');
}

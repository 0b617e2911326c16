import { type AssistantMessageEvent, type CurrentWork, noUsage, type ToolCall } from '../../agents';
import type { InboxItem } from '../../messaging';

type Decision = Extract<InboxItem, { kind: 'permission_decision' }>;

/** The beginning of a turn with an approved call: the call, as if a model had made it, and its approval. */
export interface ApprovedStart {
  readonly answer: AssistantMessageEvent;
  readonly approved: NonNullable<CurrentWork['approved']>;
}

/** Returns how the turn for an item begins; undefined unless the item is a person's approval of a call. */
export function approvedStart(item: InboxItem): ApprovedStart | undefined {
  if (item.kind !== 'permission_decision' || !item.granted || !item.call) return undefined;
  const { permissionRequestId } = item;
  const { toolName: name, argumentsJson } = item.call;
  const id = `approved-${permissionRequestId}`;
  return {
    answer: {
      kind: 'assistant_message',
      text: '',
      toolCalls: [{ id, name, argumentsJson }],
      usage: noUsage,
      provider: '',
      model: '',
      replyTarget: '',
    },
    approved: { permissionRequestId, toolCallId: id },
  };
}

/**
 * Returns the approval of a call; undefined unless it is the approved call that began the turn. `approved` is removed
 * when the result of that call is recorded, so a later call has no approval even if the model gives it the same id.
 */
export function approvalOf(
  { approved }: Pick<CurrentWork, 'approved'>,
  { id, name: toolName, argumentsJson }: ToolCall,
) {
  if (approved?.toolCallId !== id) return undefined;
  return { permissionRequestId: approved.permissionRequestId, toolName, argumentsJson };
}

/** The text that tells the agent about the decision. */
export function decisionText({ granted, permission, call }: Decision): string {
  if (!call) return `The user ${granted ? 'granted' : 'denied'} your request for ${permission}.`;
  return granted
    ? `The user approved your call to ${call.toolName}. It runs now, once, with the arguments that the user saw; its result follows.`
    : `The user denied your call to ${call.toolName}. It was not run.`;
}

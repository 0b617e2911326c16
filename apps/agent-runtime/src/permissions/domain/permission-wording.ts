import type { PermissionRequest } from './permission';

type NoticeFacts = Pick<PermissionRequest, 'agentLabel' | 'agentId' | 'permission' | 'state'>;

/** Notices to agents about permissions. They omit the reason, which is for people to judge. */

/** Sent, when another agent requests a permission, to the agent that talks with the user. */
export function presentedNotice({ agentLabel, agentId, permission }: NoticeFacts): string {
  return `The agent ${JSON.stringify(agentLabel)} (${agentId}) is asking the user for the permission ${permission}. The request is shown to the user, who decides; you need not do anything.`;
}

/**
 * Sent, after the user has decided, to the agent that received `presentedNotice` and to the agent that talks with the
 * user at the time of the decision.
 */
export function decidedNotice({ agentLabel, agentId, permission, state }: NoticeFacts): string {
  return `The user ${state} the permission ${permission} that the agent ${JSON.stringify(agentLabel)} (${agentId}) asked for.`;
}

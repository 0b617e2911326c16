import type { PermissionRequest } from './permission';

type Asked = Pick<PermissionRequest, 'agentLabel' | 'agentId' | 'permission' | 'state'>;

/** What agents are told about permissions. The reason is left out: it is for people to judge. */

/** For the agent that talks with the user, when another one asked for something. */
export function presentedNotice({ agentLabel, agentId, permission }: Asked): string {
  return `The agent ${JSON.stringify(agentLabel)} (${agentId}) asks the user for the permission ${permission}. The request is shown to the user, who decides; you need not do anything.`;
}

/** For the same agent, once the user has decided. */
export function decidedNotice({ agentLabel, agentId, permission, state }: Asked): string {
  return `The user ${state} the permission ${permission} that the agent ${JSON.stringify(agentLabel)} (${agentId}) asked for.`;
}

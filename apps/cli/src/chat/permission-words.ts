import {
  PermissionDecision,
  PermissionState,
  type PermissionRequest,
} from '@daycare/contracts/agent-runtime';
import { safeLine } from '../output/safe-text';
import { toWord } from '../output/words';

const mostOfAReason = 200;

/** The question as it stands before the cursor. The reason is the agent's word: shown, not believed. */
export function permissionQuestion(request: PermissionRequest): string {
  const reason = safeLine(request.reason);
  const cut = reason.length > mostOfAReason ? `${reason.slice(0, mostOfAReason)}…` : reason;
  return `Allow ${subjectOf(request)}? ${cut} [y/N] `;
}

/** The whole of a reason that the question has no room for. */
export function longReason({ reason }: PermissionRequest): string | undefined {
  return safeLine(reason).length > mostOfAReason ? safeLine(reason) : undefined;
}

/** What a person decided by a line; undefined when it says neither yes nor no. */
export function readDecision(line: string): PermissionDecision | undefined {
  const word = line.trim().toLowerCase();
  if (word === 'y' || word === 'yes') return PermissionDecision.GRANT;
  return word === '' || word === 'n' || word === 'no' ? PermissionDecision.DENY : undefined;
}

export function permissionOutcome(request: PermissionRequest): string {
  return request.state === PermissionState.EXPIRED
    ? `Too late: the request for ${subjectOf(request)} has expired.`
    : `${subjectOf(request)}: ${toWord('PERMISSION_STATE', request.state)}.`;
}

/** For where nobody can be asked. */
export function permissionNotice(request: PermissionRequest): string {
  const how = `decide with "daycare permission decide ${request.id} grant" or "deny"`;
  return `Asked for: ${subjectOf(request)}. ${safeLine(request.reason)} (${how})`;
}

function subjectOf({ permission, agentLabel }: PermissionRequest): string {
  return `${safeLine(permission)} for agent "${safeLine(agentLabel)}"`;
}

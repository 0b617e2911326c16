import type { FieldChecks } from '@daycare/errors';
import type { ConnectorTarget } from './descriptor-kinds';
import type { AgentAddress } from './inbox-item';

export const permissionStates = ['pending', 'granted', 'denied', 'expired'] as const;
export type PermissionState = (typeof permissionStates)[number];

export type PermissionDecision = 'grant' | 'deny';

/** An agent's wish to be allowed something, put to the user it belongs to. */
export interface PermissionRequest {
  readonly id: string;
  readonly userId: string;
  /** The owner, when the user is a subuser: it decides. */
  readonly ownerUserId: string | undefined;
  /** The agent that asks and will hear the decision. */
  readonly agentId: string;
  readonly agentLabel: string;
  /** Where the agent's context began when it asked: a reset since then has it forget that it did. */
  readonly contextFrom: number;
  readonly permission: string;
  readonly reason: string;
  readonly state: PermissionState;
  /** Where a connector shows it; undefined when nobody talks with the user. */
  readonly target: ConnectorTarget | undefined;
  /** The agent that hears silently that it was shown; undefined when that is the one that asks. */
  readonly presentedTo: AgentAddress | undefined;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Undefined unless granted or denied. */
  readonly decidedAt: Date | undefined;
  /** The agents that hear silently what was decided; chosen with the decision. */
  readonly decisionTo: readonly AgentAddress[];
}

/** What a decision makes of a request: another state, or nothing, and it stands as it is. */
export type Verdict =
  | { readonly kind: 'becomes'; readonly state: 'granted' | 'denied' }
  /** The agent has forgotten that it asked, so that a decision is of no use to it. */
  | { readonly kind: 'lapses' }
  | { readonly kind: 'stands' };

const stands: Verdict = { kind: 'stands' };

const verdicts: Record<PermissionState, Record<PermissionDecision, Verdict>> = {
  pending: {
    grant: { kind: 'becomes', state: 'granted' },
    deny: { kind: 'becomes', state: 'denied' },
  },
  granted: { grant: stands, deny: stands },
  denied: { grant: stands, deny: stands },
  expired: { grant: stands, deny: stands },
};

/** What a decision comes to. `isRemembered` says whether the agent still knows that it asked. */
export function decide(
  request: Pick<PermissionRequest, 'state' | 'expiresAt'>,
  decision: PermissionDecision,
  isRemembered: boolean,
  now: Date,
): Verdict {
  const verdict = verdicts[stateAt(request, now)][decision];
  return verdict.kind === 'becomes' && !isRemembered ? { kind: 'lapses' } : verdict;
}

/** The state at a time: what nobody decided in time has expired, whether or not that was written down. */
export function stateAt(
  { state, expiresAt }: Pick<PermissionRequest, 'state' | 'expiresAt'>,
  now: Date,
): PermissionState {
  return state === 'pending' && expiresAt <= now ? 'expired' : state;
}

/** The user who decides: the agent's own, or the owner of the subuser it belongs to. */
export function deciderOf({
  userId,
  ownerUserId,
}: Pick<PermissionRequest, 'userId' | 'ownerUserId'>): string {
  return ownerUserId ?? userId;
}

/** The users who may know of a request. */
export function readersOf({
  userId,
  ownerUserId,
}: Pick<PermissionRequest, 'userId' | 'ownerUserId'>): readonly string[] {
  return ownerUserId === undefined ? [userId] : [userId, ownerUserId];
}

const namePattern = /^[a-z][a-z0-9:_./-]{0,99}$/;

/** Checks what an agent asks for and why. Call `checks.done()` afterwards. */
export function checkPermission(
  { permission, reason }: Pick<PermissionRequest, 'permission' | 'reason'>,
  checks: FieldChecks,
): void {
  checks.require(
    namePattern.test(permission),
    'permission',
    'must be 1 to 100 lower-case letters, digits or ":_./-", the first a letter',
  );
  checks.text(reason, 'reason', { min: 1, max: 1_000 });
}

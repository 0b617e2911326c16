import { FieldChecks } from '@daycare/api';
import type { AgentAddress, ConnectorTarget } from '../../agents';
import type { AskingTurn } from '../../messaging';

export const permissionStates = ['pending', 'granted', 'denied', 'expired'] as const;
export type PermissionState = (typeof permissionStates)[number];

/**
 * For a call, `grant` allows it once, and `always` also allows this agent's later calls to the same tool. A permission
 * requested by name stays granted until the grant is revoked or ends, so for it `grant` and `always` mean the same.
 */
export type PermissionDecision = 'grant' | 'always' | 'deny';

/** The call that an agent wants to make, exactly as it is shown and as it will run. */
export interface RequestedCall {
  readonly toolName: string;
  /** Canonical JSON. */
  readonly argumentsJson: string;
}

/** The turn in which a request was made. */
export interface RequestingTurn extends AskingTurn {
  /** The sequence number of the turn's first record; undefined when a client made the call. */
  readonly turn: number | undefined;
  /** Present when the turn belongs to a subuser whose guests share one conversation. */
  readonly isShared?: true | undefined;
}

/** An agent's request for a permission or for the approval of a call, addressed to the user who decides. */
export interface PermissionRequest {
  readonly id: string;
  readonly userId: string;
  /** The owner, who decides, if the user is a subuser. */
  readonly ownerUserId: string | undefined;
  /** The requesting agent, which receives the decision. */
  readonly agentId: string;
  readonly agentLabel: string;
  /**
   * The `firstValidRequestSequence` of the agent when it asked; a later reset changes that number and so makes the
   * request obsolete.
   */
  readonly contextFrom: number;
  /** `tool:<name>` when the request is to approve a call. */
  readonly permission: string;
  readonly reason: string;
  /** Undefined when a permission is requested by name. */
  readonly call: RequestedCall | undefined;
  readonly askedIn: RequestingTurn | undefined;
  readonly state: PermissionState;
  /**
   * Where a connector shows the request: the channel of the deciding user's foreground agent; undefined when there is
   * none.
   */
  readonly target: ConnectorTarget | undefined;
  /** The target's connector, whose client receives the request; absent when no client does. */
  readonly feed?: string;
  /**
   * The agent that is silently notified that the request was shown; undefined when that is the requester itself, or
   * when there is no such agent.
   */
  readonly presentedTo: AgentAddress | undefined;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Undefined unless granted or denied. */
  readonly decidedAt: Date | undefined;
  readonly decision: PermissionDecision | undefined;
  /** When the grant ends; undefined when it lasts until it is revoked, and when there is no grant. */
  readonly grantUntil: Date | undefined;
  /** The agents that are silently notified of the decision; stored together with the decision. */
  readonly decisionTo: readonly AgentAddress[];
}

/** The effect of a decision on a request; with `stands`, the request keeps its state. */
export type DecisionEffect =
  | { readonly kind: 'becomes'; readonly state: 'granted' | 'denied' }
  /** The agent was reset or ended after making the request: the request expires, and the decision has no effect. */
  | { readonly kind: 'expires' }
  | { readonly kind: 'stands' };

const stands: DecisionEffect = { kind: 'stands' };

const effects: Record<PermissionState, Record<PermissionDecision, DecisionEffect>> = {
  pending: {
    grant: { kind: 'becomes', state: 'granted' },
    always: { kind: 'becomes', state: 'granted' },
    deny: { kind: 'becomes', state: 'denied' },
  },
  granted: { grant: stands, always: stands, deny: stands },
  denied: { grant: stands, always: stands, deny: stands },
  expired: { grant: stands, always: stands, deny: stands },
};

/**
 * Returns the effect of a decision. `isRemembered` is false if the requester is dead, or has been reset (or is about to
 * be) since it asked.
 */
export function decide(
  request: Pick<PermissionRequest, 'state' | 'expiresAt'>,
  decision: PermissionDecision,
  isRemembered: boolean,
  now: Date,
): DecisionEffect {
  const effect = effects[stateAt(request, now)][decision];
  return effect.kind === 'becomes' && !isRemembered ? { kind: 'expires' } : effect;
}

/**
 * Returns the state at a given time: a request that was not decided in time has expired, even if that is not stored
 * yet.
 */
export function stateAt(
  { state, expiresAt }: Pick<PermissionRequest, 'state' | 'expiresAt'>,
  now: Date,
): PermissionState {
  return state === 'pending' && expiresAt <= now ? 'expired' : state;
}

/** Returns the user who decides: the agent's own user or, if that is a subuser, its owner. */
export function deciderOf({
  userId,
  ownerUserId,
}: Pick<PermissionRequest, 'userId' | 'ownerUserId'>): string {
  return ownerUserId ?? userId;
}

/** Returns the users who may see a request. */
export function readersOf({
  userId,
  ownerUserId,
}: Pick<PermissionRequest, 'userId' | 'ownerUserId'>): readonly string[] {
  return ownerUserId === undefined ? [userId] : [userId, ownerUserId];
}

/** Returns the permission name for a request to approve a call. */
export function toolPermission(toolName: string): string {
  return `tool:${toolName}`;
}

/** Reports whether a decided request leaves a grant behind. */
export function leavesGrant({ state, call, decision }: PermissionRequest): boolean {
  return state === 'granted' && (call === undefined || decision === 'always');
}

const maxGrantMs = 10 * 365 * 24 * 60 * 60 * 1000;

/** Throws if the decision creates no grant but an end is given, or if the end is past or over ten years ahead. */
export function checkGrantEnd(
  { call }: Pick<PermissionRequest, 'call'>,
  {
    decision,
    grantUntil,
  }: { readonly decision: PermissionDecision; readonly grantUntil?: Date | undefined },
  now: Date,
): void {
  if (!grantUntil) return;
  const createsGrant = decision === 'always' || (decision === 'grant' && call === undefined);
  const aheadMs = grantUntil.getTime() - now.getTime();
  new FieldChecks()
    .require(createsGrant, 'grant_expires_at', 'must be empty: this decision creates no grant')
    .require(
      aheadMs > 0 && aheadMs <= maxGrantMs,
      'grant_expires_at',
      'must be in the future, at most ten years ahead',
    )
    .done();
}

const namePattern = /^[a-z][a-z0-9:_./-]{0,99}$/;

/** Checks the requested permission and its reason. Call `checks.done()` afterwards. */
export function checkPermission(
  { permission, reason }: Pick<PermissionRequest, 'permission' | 'reason'>,
  checks: FieldChecks,
): void {
  checks.require(
    namePattern.test(permission),
    'permission',
    'must be 1 to 100 lower-case letters, digits or ":_./-", starting with a letter',
  );
  checks.require(
    !permission.startsWith(toolPermission('')),
    'permission',
    'must not start with "tool:": call the tool itself, and the user is asked to approve the call',
  );
  checks.text(reason, 'reason', { min: 1, max: 1_000 });
}

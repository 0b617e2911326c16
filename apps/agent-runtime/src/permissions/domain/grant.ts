import { isForeign, lowestTrust, type Trust } from '@daycare/api';
import { knowsPrivateData, severalWriters, writerOf, type StartedBy } from '../../agents';
import { leavesGrant, type RequestingTurn, type PermissionRequest } from './permission';

/** What a grant is for: a permission such as `network`, or a tool. */
export type GrantSubject =
  | { readonly kind: 'permission'; readonly permission: string }
  | { readonly kind: 'tool'; readonly toolName: string };

/** A person's standing permission for an agent. */
export interface Grant {
  readonly id: string;
  readonly userId: string;
  /** The owner, who decided, if the user is a subuser. */
  readonly ownerUserId: string | undefined;
  readonly agentId: string;
  readonly agentLabel: string;
  readonly subject: GrantSubject;
  readonly scope: GrantScope;
  readonly createdAt: Date;
  /** Undefined when the grant lasts until it is revoked. */
  readonly expiresAt: Date | undefined;
}

/** The turns that a grant covers. */
export interface GrantScope {
  /** Turns with at least this trust. */
  readonly trust: Trust;
  /** Whether turns that know something private are covered too. */
  readonly readPrivate: boolean;
  /** The starter whose foreign turns are covered; undefined when no foreign turns are. */
  readonly starter?: string | undefined;
}

/** The facts about a turn that decide whether a grant covers it. */
export interface CoverableTurn {
  readonly trust: Trust;
  readonly readPrivate: boolean;
  readonly foreignWriter?: string | undefined;
  /** Whether the turn has read text from a guest or outsider. */
  readonly hasReadForeign?: true | undefined;
  /** Whether the turn belongs to a subuser whose guests share one conversation. */
  readonly isShared?: true | undefined;
  readonly startedBy: Pick<StartedBy, 'source' | 'senderUserId' | 'origin'>;
}

/**
 * Identifies the guest, outsider or cron whose words a foreign turn follows (a turn with the trust `guest` or
 * `outside`), so that turns can be compared. If one of the user's agents started the turn, this is the guest or
 * outsider whose words that agent passed on. Undefined for the user's own turns, and when the writer is unknown or the
 * turn has read text from a guest or outsider.
 */
export function foreignStarterOf({
  trust,
  foreignWriter = severalWriters,
  hasReadForeign,
  startedBy,
}: Omit<CoverableTurn, 'readPrivate' | 'isShared'>): string | undefined {
  if (!isForeign(trust) || hasReadForeign) return undefined;
  const starter = writerOf(startedBy) ?? cronOf(startedBy) ?? foreignWriter;
  return starter === severalWriters ? undefined : starter;
}

/** A cron itself is the starter, because its prompt is the same in every run, unless the cron is changed. */
function cronOf({ origin }: Pick<StartedBy, 'origin'>): string | undefined {
  return origin.startsWith('cron:') ? origin : undefined;
}

/** Returns the subject as a string, for storing and comparing it. */
export function subjectKey(subject: GrantSubject): string {
  return subject.kind === 'tool' ? `tool:${subject.toolName}` : `permission:${subject.permission}`;
}

/** Returns the grant that a decided request leaves behind; undefined when it leaves none. */
export function grantOf(request: PermissionRequest, id: string): Grant | undefined {
  const { userId, ownerUserId, agentId, agentLabel, permission, call } = request;
  if (!request.decidedAt || !leavesGrant(request)) return undefined;
  return {
    id,
    userId,
    ownerUserId,
    agentId,
    agentLabel,
    subject: call ? { kind: 'tool', toolName: call.toolName } : { kind: 'permission', permission },
    scope: scopeOf(request),
    createdAt: request.decidedAt,
    expiresAt: request.grantUntil,
  };
}

/** All of the user's own turns. */
const ownTurns: GrantScope = { trust: 'own', readPrivate: true };

/**
 * A permission requested by name in one of the user's own turns covers all of the user's own turns, and so does any
 * grant that was not requested in a turn. Other grants cover turns like the one that asked.
 */
function scopeOf({ call, askedIn }: Pick<PermissionRequest, 'call' | 'askedIn'>): GrantScope {
  if (!askedIn || (!call && !isForeign(askedIn.trust))) return ownTurns;
  return scopeOfTurn(askedIn);
}

function scopeOfTurn(askedIn: RequestingTurn): GrantScope {
  const { trust } = askedIn;
  const starter = foreignStarterOf(askedIn);
  return {
    trust,
    readPrivate: knowsPrivateData(askedIn),
    ...(starter === undefined ? {} : { starter }),
  };
}

function allowsStarter({ starter }: GrantScope, turn: CoverableTurn): boolean {
  if (!isForeign(turn.trust)) return true;
  return starter !== undefined && foreignStarterOf(turn) === starter;
}

/** Reports whether a grant that has not been revoked covers this turn. */
export function covers(
  { scope, expiresAt }: Pick<Grant, 'scope' | 'expiresAt'>,
  turn: CoverableTurn,
  now: Date,
): boolean {
  if (expiresAt && expiresAt <= now) return false;
  const isTrusted = lowestTrust(scope.trust, turn.trust) === scope.trust;
  return isTrusted && allowsStarter(scope, turn) && (scope.readPrivate || !knowsPrivateData(turn));
}

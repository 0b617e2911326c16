import { isForeign, lowestTrust, type Trust } from '@daycare/api';
import { knowsPrivate, severalWriters, writerOf, type StartedBy } from '../../agents';
import { lasts, type AskedIn, type PermissionRequest } from './permission';

/** What a grant is for: a permission such as `network`, or a tool. */
export type GrantSubject =
  | { readonly kind: 'permission'; readonly permission: string }
  | { readonly kind: 'tool'; readonly toolName: string };

/** A person's standing permission for an agent. */
export interface Grant {
  readonly id: string;
  readonly userId: string;
  /** Set when the user is a subuser: its owner decided. */
  readonly ownerUserId: string | undefined;
  readonly agentId: string;
  readonly agentLabel: string;
  readonly subject: GrantSubject;
  readonly scope: GrantScope;
  readonly createdAt: Date;
  /** Undefined when it lasts until it is revoked. */
  readonly expiresAt: Date | undefined;
}

/** The turns that a grant covers. */
export interface GrantScope {
  /** Turns with at least this trust. */
  readonly trust: Trust;
  /** Also turns that know something private. */
  readonly readPrivate: boolean;
  /** Of foreign turns only those that this one started; undefined when none are covered. */
  readonly starter?: string | undefined;
}

/** A turn that may be covered. */
export interface GrantedTurn {
  readonly trust: Trust;
  readonly readPrivate: boolean;
  readonly foreignWriter?: string | undefined;
  /** Whether it has read what a guest or outsider wrote. */
  readonly hasReadForeign?: true | undefined;
  /** Whether it is one of a subuser whose guests share one conversation. */
  readonly isShared?: true | undefined;
  readonly startedBy: Pick<StartedBy, 'source' | 'senderUserId' | 'origin'>;
}

/**
 * Whose words a foreign turn follows, as compared: of one that an agent of the user's own started, whose
 * words that agent passed on. Undefined for turns of the user's own, and when it is unknown: anyone may have
 * written the text that a turn has read.
 */
export function foreignStarterOf({
  trust,
  foreignWriter = severalWriters,
  hasReadForeign,
  startedBy,
}: Omit<GrantedTurn, 'readPrivate' | 'isShared'>): string | undefined {
  if (!isForeign(trust) || hasReadForeign) return undefined;
  const starter = writerOf(startedBy) ?? cronOf(startedBy) ?? foreignWriter;
  return starter === severalWriters ? undefined : starter;
}

/** A cron always has the same words. */
function cronOf({ origin }: Pick<StartedBy, 'origin'>): string | undefined {
  return origin.startsWith('cron:') ? origin : undefined;
}

/** The subject as stored and compared. */
export function subjectKey(subject: GrantSubject): string {
  return subject.kind === 'tool' ? `tool:${subject.toolName}` : `permission:${subject.permission}`;
}

/** The grant that a decided request gives; undefined when it gives none. */
export function grantOf(request: PermissionRequest, id: string): Grant | undefined {
  const { userId, ownerUserId, agentId, agentLabel, permission, call } = request;
  if (!request.decidedAt || !lasts(request)) return undefined;
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

/** All turns of the user's own. */
const ownTurns: GrantScope = { trust: 'own', readPrivate: true };

/** A permission that was asked for by name in a turn of the user's own is for all of these. */
function scopeOf({ call, askedIn }: Pick<PermissionRequest, 'call' | 'askedIn'>): GrantScope {
  if (!askedIn || (!call && !isForeign(askedIn.trust))) return ownTurns;
  return boundTo(askedIn);
}

function boundTo(askedIn: AskedIn): GrantScope {
  const { trust } = askedIn;
  const starter = foreignStarterOf(askedIn);
  return {
    trust,
    readPrivate: knowsPrivate(askedIn),
    ...(starter === undefined ? {} : { starter }),
  };
}

function isStartedAlike({ starter }: GrantScope, turn: GrantedTurn): boolean {
  if (!isForeign(turn.trust)) return true;
  return starter !== undefined && foreignStarterOf(turn) === starter;
}

/** Whether a grant that has not been revoked allows something to such a turn. */
export function covers(
  { scope, expiresAt }: Pick<Grant, 'scope' | 'expiresAt'>,
  turn: GrantedTurn,
  now: Date,
): boolean {
  if (expiresAt && expiresAt <= now) return false;
  const isTrusted = lowestTrust(scope.trust, turn.trust) === scope.trust;
  return isTrusted && isStartedAlike(scope, turn) && (scope.readPrivate || !knowsPrivate(turn));
}

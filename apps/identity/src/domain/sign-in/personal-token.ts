import type { SessionHolder, SessionOpener } from '../session';

const personScopes = [
  'agents:read',
  'agents:talk',
  'friends',
  'subusers',
  'permissions:decide',
] as const;
const operatorScopes = ['admin'] as const;
/** Subusers have neither friends nor subusers, and cannot make a person's decisions. */
const subuserScopes = ['agents:read', 'agents:talk'] as const;

/** The rights that a token may be limited to; the contracts say which call requires which. */
export type TokenScope = (typeof personScopes | typeof operatorScopes)[number];

/** A person's or operator's long-lived secret for programs; its rights are limited by scopes. */
export interface PersonalToken {
  readonly id: string;
  /** What the token is for, in its owner's words. */
  readonly name: string;
  /** As whom the token acts: its owner, a subuser of the owner, or an operator. */
  readonly holder: SessionHolder;
  /** What the token's creator had signed in with; the token ends when that is no longer configured. */
  readonly opener: SessionOpener;
  readonly scopes: readonly TokenScope[];
  /** A hash of the secret, which is not stored itself. */
  readonly hash: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Up to `lastUseStepMs` earlier than the actual last use; undefined if the token was never exchanged. */
  readonly lastUsedAt?: Date;
}

/** The maximum number of tokens per owner, including those that act as the owner's subusers. */
export const maxTokensPerOwner = 100;

/** Returns the key of a token's owner: a user's id, or `admin` for all operators. */
export function ownerKeyOf(holder: SessionHolder): string {
  return holder.kind === 'admin' ? 'admin' : holder.ownerId;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

export const tokenLifetimes = { minMs: minuteMs, maxMs: 366 * dayMs, defaultMs: 90 * dayMs };

/** The last use is stored at most once in this time. */
const lastUseStepMs = 5 * minuteMs;

/** Reports whether a use at this time must be stored. */
export function isUseWorthStoring(token: Pick<PersonalToken, 'lastUsedAt'>, now: Date): boolean {
  const { lastUsedAt } = token;
  return lastUsedAt === undefined || now.getTime() - lastUsedAt.getTime() >= lastUseStepMs;
}

/**
 * How long after a token's creation a retry of the request may replace its secret, since the caller may never have
 * received the first one.
 */
const retryWindowMs = 10 * minuteMs;

/** Reports whether a retry of the request that created a token may replace its secret. */
export function mayReplaceSecret(
  { lastUsedAt, createdAt }: Pick<PersonalToken, 'lastUsedAt' | 'createdAt'>,
  now: Date,
): boolean {
  return lastUsedAt === undefined && now.getTime() - createdAt.getTime() < retryWindowMs;
}

/**
 * Returns the scopes that a token may have: no more than its creator's rights, and only those its holder can
 * use.
 */
export function grantableScopes(
  creator: 'person' | 'admin',
  isBoundToSubuser: boolean,
): readonly TokenScope[] {
  if (creator === 'admin') return operatorScopes;
  return isBoundToSubuser ? subuserScopes : personScopes;
}

/**
 * Reports whether an access token issued for a personal access token may still be valid. The margin covers uses that
 * were not stored in `lastUsedAt`, and the difference between clocks.
 */
export function mayHaveLiveTokens(
  { lastUsedAt }: Pick<PersonalToken, 'lastUsedAt'>,
  longestTokenLifetimeMs: number,
  now: Date,
): boolean {
  const marginMs = lastUseStepMs + minuteMs;
  return (
    lastUsedAt !== undefined &&
    now.getTime() - lastUsedAt.getTime() < longestTokenLifetimeMs + marginMs
  );
}

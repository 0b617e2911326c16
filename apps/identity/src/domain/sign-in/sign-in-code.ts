import type { SessionOpener } from '../session';

/** A code with which a browser signs in once as a user. The code itself is not stored. */
export interface SignInCode {
  readonly hash: string;
  readonly userId: string;
  /** The user itself, or the owner of a subuser. */
  readonly ownerId: string;
  /** The session in which a person created it, and with which it ends; undefined if an operator did. */
  readonly sessionId?: string | undefined;
  /** The credential with which its creator had signed in; sessions opened with the code end with that credential. */
  readonly opener: SessionOpener;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Long enough to open a browser and paste the code. */
export const codeLifetimeMs = 15 * 60_000;

/** A further code replaces the oldest one. */
export const maxCodesPerUser = 5;

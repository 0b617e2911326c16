import type { SessionOpener } from '../session';

/** A code with which a browser signs in once as a user. Only its hash is stored. */
export interface SignInCode {
  readonly hash: string;
  readonly userId: string;
  /** The user itself, or the owner of a subuser. */
  readonly ownerId: string;
  /** The session in which a person created the code; the code ends with it. Undefined for an operator's code. */
  readonly sessionId?: string | undefined;
  /** What the code's creator had signed in with; sessions opened with the code get the same opener. */
  readonly opener: SessionOpener;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Long enough to open a browser and paste the code. */
export const codeLifetimeMs = 15 * 60_000;

/** The maximum number of unused codes per user; a further code replaces the oldest one. */
export const maxCodesPerUser = 5;
